"""goals.py - the goals of the rows of the suites, and checks whether rows reach them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    figure: float
    text: str = ""  # what the figure is of, if it is not that of the row itself

    def is_met(self, row):
        return row["value"] >= self.figure if row.get("better") == "higher" else row["value"] <= self.figure


def of_size(suite, row):
    """What suite.size_goals says: a figure by size, of all systems or of each."""
    goals = suite.size_goals.get(row["system"], suite.size_goals)
    found = goals.get(row.get("x"))
    return found if isinstance(found, (int, float)) else None


def goals_of(suite, row, rows):
    """Of a row with a figure, and all rows of its suite. Parts of a peer's figure are goals only where the peer was
    measured."""
    found = []
    own = of_size(suite, row)
    if own is None:
        own = suite.goals.get(row["workers"]) if row["system"] == "stretto" else suite.goals.get(row["system"])
    if own is not None:
        found.append(Goal(own))
    if row["system"] in suite.ratio_goals and "ratio" in row:
        part = suite.ratio_goals[row["system"]]
        if isinstance(part, dict):
            part = part[row["x"] if suite.sweep else row["workers"]]
        found.append(Goal(part * row["value"] / row["ratio"], f"{part:.2f} x"))
    if suite.growth_goal and suite.sweep:
        least = [r["value"] for r in rows if r["system"] == row["system"] and r["workers"] == row["workers"]
                 and r.get("x") == suite.sweep[0] and "value" in r]
        if least and row.get("x") != suite.sweep[0]:
            found.append(Goal(suite.growth_goal * least[0], f"{suite.growth_goal:g} x that of {suite.sweep[0]}"))
    return found


def told(suite, row, rows, figure):
    """"60, met"; "2 x that of 1, missed"; "" without a goal."""
    return "; ".join(f"{g.text or figure(g.figure)}, {'met' if g.is_met(row) else 'missed'}"
                     for g in goals_of(suite, row, rows))
