"""random_regions.py - programs in C with random directives of OpenACC, whose output says whether each did its work.

A program without its directives computes the same: what its regions change on the device is on the host where the
host reads it, and the other way round. With messages, each rank of the program has values of its own. All values are
integers, also those of type double, so that no order of sums changes them.
"""
import random

from array_states import Data
from message_steps import HEAD, START, Messages

REDUCTIONS = ("+", "max", "min", "|", "&", "^", "&&", "||")


class Array:
    """An array of the program, with one or two dimensions."""

    def __init__(self, chance, name, types):
        self.name = name
        self.type = chance.choice(types)
        self.form = chance.choice(("static", "local", "variable", "heap", "heap"))
        self.dimensions = [chance.randint(9, 40)] if chance.random() < 0.6 else [chance.randint(4, 9) for _ in "ij"]

    def is_behind_pointer(self):
        return self.form == "heap"

    def declaration(self):
        # The size is not a constant to the compiler.
        sizes = "".join(f"[{one} * one]" if self.form == "variable" else f"[{one}]" for one in self.dimensions)
        if self.form != "heap":
            return f"{'static ' if self.form == 'static' else ''}{self.type} {self.name}{sizes};"
        row = f"(*restrict {self.name})[{self.dimensions[1]}]" if len(self.dimensions) > 1 else f"*restrict {self.name}"
        return f"{self.type} {row} = malloc({self.dimensions[0]} * sizeof *{self.name});"

    def section(self):
        return self.name + "".join(f"[0:{one}]" for one in self.dimensions)

    def loops(self, inside):
        """Loops over all elements, around a statement for the element `inside(indices)`."""
        names = "ij"[:len(self.dimensions)]
        heads = "".join(f"for (int {i} = 0; {i} < {n}; ++{i}) " for i, n in zip(names, self.dimensions))
        return heads + inside("".join(f"[{i}]" for i in names))


class Program:
    def __init__(self, seed, has_messages=False):
        self.chance = random.Random(seed)
        # Messages are between arrays of one type.
        types = ("int", "double") if has_messages else ("int", "long", "double", "double", "float", "short")
        names = "abcdef"[:self.chance.randint(3 if has_messages else 2, 6)]
        self.arrays = [Array(self.chance, name, types) for name in names]
        self.scalars = ["s", "t", "u"]
        self.lines = []
        self.depth = 1
        self.data = Data(self)
        self.messages = Messages(self) if has_messages else None

    def text(self):
        """The whole program."""
        for array in self.arrays:
            self.add(array.declaration())
        for k, array in enumerate(self.arrays):
            self.add(array.loops(lambda at: f"{array.name}{at} = {self.first_value(array, k)};"))
        for _ in range(self.chance.randint(8, 16) if self.messages else self.chance.randint(4, 9)):
            self.add_step()
        if self.messages:
            self.messages.end_all()
        self.data.leave_all()
        rank = ('"%d ', "rank, ") if self.messages else ('"', "")
        for array in self.arrays:
            self.add("sum = 0;")
            self.add(array.loops(lambda at: f"sum = (sum * 31 + (long){array.name}{at}) % 1000003;"))
            self.add(f'printf({rank[0]}{array.name} %ld\\n", {rank[1]}sum);')
        self.add(f'printf({rank[0]}%ld %ld %ld %d %d\\n", {rank[1]}s, t, u, i, j);')
        if self.messages:
            self.add("MPI_Finalize();")
        return ((HEAD if self.messages else "") +
                "#include <stdio.h>\n#include <stdlib.h>\n#pragma acc routine seq\n"
                "static long mixed(long x, long y) { return (x * 3 + y) % 1009; }\n"
                "int main(int argc, char **argv) {\n  (void)argv;\n"
                "  long s = 1, t = 2, u = 3, sum = 0;\n  int i = 0, j = 0, one = argc;\n"
                + (START if self.messages else "") + "\n".join(self.lines) + "\n  return 0;\n}\n")

    def first_value(self, array, k):
        own = " + rank * 11" if self.messages else ""
        return f"({'i' if len(array.dimensions) == 1 else 'i * 7 + j'}{own}) * {k + 3} % 23 - 5"

    def add(self, line):
        self.lines.append(line if line.startswith("#") else "  " * self.depth + line)

    def add_step(self):
        if self.messages and self.chance.random() < 0.4:
            return self.messages.add_step()
        step = self.chance.choice((self.add_parallel, self.add_parallel, self.add_parallel, self.add_kernels,
                                   self.add_kernels, self.add_kernels, self.add_collected, self.add_collected,
                                   self.add_host_code, self.data.add_step, self.data.add_step))
        step()

    # Expressions.

    def index(self, loops, bound, may_wander=True):
        """An index below `bound`, of loops that are given as (name, first, behind the last)."""
        fitting = [one for one in loops if one[2] <= bound]
        if not fitting or (may_wander and self.chance.random() < 0.15):
            name = loops[0][0] if loops else "2"
            return f"({name} * {self.chance.randint(1, 5)} + {self.chance.randint(0, 9)}) % {bound}"
        name, first, behind = self.chance.choice(fitting)
        shift = self.chance.randint(-first, bound - behind) if self.chance.random() < 0.5 else 0
        return name if shift == 0 else f"{name} {'+' if shift > 0 else '-'} {abs(shift)}"

    def element(self, array, loops):
        return array.name + "".join(f"[{self.index(loops, bound)}]" for bound in array.dimensions)

    def value(self, loops, read, depth=2):
        """An integer expression; `read` are expressions that it may use."""
        kind = self.chance.random()
        if depth == 0 or kind < 0.3:
            return self.chance.choice(read + [one[0] for one in loops] + [str(self.chance.randint(1, 9))])
        left, right = self.value(loops, read, depth - 1), self.value(loops, read, depth - 1)
        if kind < 0.4:
            return f"mixed({left}, {right})"
        if kind < 0.5:
            return f"({left} > {right} ? {left} : {right})"
        return f"({left} {self.chance.choice('+-*')} {right})"

    def stored(self, value):
        return f"(long)({value}) % 1009"

    # Regions.

    def loops_for(self, array, margin=0):
        """A loop per dimension, within bounds."""
        loops = []
        for name, bound in zip("ij", array.dimensions):
            first = self.chance.randint(0, min(2, margin))
            behind = bound - self.chance.randint(0, min(2, margin))
            loops.append((name, first, behind))
        return loops

    def head(self, loop, declares=True):
        name, first, behind = loop
        declared = "int " if declares else ""
        form = self.chance.randint(0, 3)
        if form == 0:
            return f"for ({declared}{name} = {behind - 1}; {name} >= {first}; --{name})"
        if form == 1:
            return f"for ({declared}{name} = {first}; {name} < {behind} * one; {name}++)"
        return f"for ({declared}{name} = {first}; {name} < {behind}; ++{name})"

    def add_parallel(self):
        """A loop whose iterations write elements of their own."""
        written = self.chance.choice(self.arrays)
        others = self.chance.sample(self.arrays, self.chance.randint(0, min(3, len(self.arrays))))
        others = [one for one in others if one is not written]
        loops = self.loops_for(written, self.chance.randint(0, 2))
        own = written.name + "".join(f"[{one[0]}]" for one in loops)
        read = [f"(long){own}"] + [f"(long){self.element(one, loops)}" for one in others]
        clauses, inside = [], []
        reduced = None
        if self.chance.random() < 0.4:
            sign = self.chance.choice(REDUCTIONS)
            reduced = self.chance.choice(self.scalars)
            clauses.append(f"reduction({sign}: {reduced})")
            inside.append(self.combination(reduced, sign, self.value(loops, read)))
        if self.chance.random() < 0.3:
            clauses.append("private(temporary)")
            inside.insert(0, f"temporary = {self.stored(self.value(loops, read))};")
            read = read + ["temporary"]
        is_joint = len(loops) > 1 and self.chance.random() < 0.5
        if is_joint:
            clauses.append("collapse(2)")
        inside.append(f"{own} = {self.stored(self.value(loops, read))};")
        if "private(temporary)" in clauses:
            self.add("long temporary = 7; (void)temporary;".replace("temporary", self.temporary()))
        text = [one.replace("temporary", self.last_temporary()) for one in inside]
        kind = self.chance.choice(("parallel", "parallel", "kernels", "serial"))
        clauses = [one.replace("temporary", self.last_temporary()) for one in clauses] + self.loop_clauses(kind)
        self.data.open_region(f"{kind} loop", clauses, [written] + others, [written], [reduced] if reduced else [])
        self.add_nest(loops, text, is_joint)

    def add_collected(self):
        """A loop whose iterations add to any elements of one array: by a reduction of a part, or atomically."""
        fitting = [one for one in self.arrays if len(one.dimensions) == 1]
        if not fitting:
            return
        written = self.chance.choice(fitting)
        others = [one for one in self.chance.sample(self.arrays, min(2, len(self.arrays))) if one is not written]
        loops = [("i", 0, self.chance.randint(5, 40))]
        value = f"(long)({self.value(loops, [f'(long){self.element(one, loops)}' for one in others] or ['i'])}) % 101"
        bound = written.dimensions[0]
        first = self.chance.randint(0, 4)
        length = self.chance.randint(1, bound - first)
        at = f"{written.name}[{first} + (i * {self.chance.randint(1, 7)}) % {length}]"
        is_atomic = self.chance.random() < 0.5
        clauses = [] if is_atomic else [f"reduction(+: {written.name}[{first}:{length}])"]
        copied = None if is_atomic or self.chance.random() < 0.5 else self.temporary()
        if copied:
            self.add(f"long {copied}[3] = {{1, {self.chance.randint(2, 9)}, 3}};")
            clauses.append(f"firstprivate({copied})")
            value = f"{value} + {copied}[i % 3]"
        self.data.open_region("parallel loop", clauses, [written] + others, [written], [])
        self.add(self.head(loops[0]) + " {")
        if is_atomic:
            self.add("#pragma acc atomic" + self.chance.choice(("", " update")))
        self.add(f"  {at} += {value};")
        self.add("}")

    def temporary(self):
        self.temporaries = getattr(self, "temporaries", 0) + 1
        return self.last_temporary()

    def last_temporary(self):
        return f"own{getattr(self, 'temporaries', 0)}"

    def combination(self, name, sign, value):
        value = f"(long)({value}) % 101"
        if sign in ("max", "min"):
            return f"if ({value} {'>' if sign == 'max' else '<'} {name}) {name} = {value};"
        return f"{name} = {name} {sign} ({value});"

    def loop_clauses(self, kind):
        clauses = []
        if kind == "parallel" and self.chance.random() < 0.3:
            clauses.append(f"num_gangs({self.chance.randint(1, 9)})")
        if kind == "kernels":
            clauses.append("independent")
        elif self.chance.random() < 0.2:
            clauses.append("gang" if kind == "parallel" else "seq" if self.chance.random() < 0.3 else "gang")
        if kind != "serial" and self.chance.random() < 0.1:
            name, clause = self.chance.choice((("host", "vector"), ("opencl", "seq"), ("*", "worker")))
            # Each of several gangs would run all of a loop that a device does not divide.
            if not clauses:
                clauses.append(f"device_type({name}) {clause}")
        return clauses

    def add_nest(self, loops, statements, is_perfect):
        for k, loop in enumerate(loops):
            if k > 0 and not is_perfect and self.chance.random() < 0.3:
                self.add("#pragma acc loop " + self.chance.choice(("seq", "vector", "worker")))
            self.add("  " * k + self.head(loop) + (" {" if k + 1 == len(loops) else ""))
        for one in statements:
            self.add("  " * len(loops) + one)
        self.add("}")

    def add_kernels(self):
        """Loops in order, which may depend on each other in any way."""
        used = self.chance.sample(self.arrays, self.chance.randint(1, min(3, len(self.arrays))))
        scalars = self.chance.sample(self.scalars, self.chance.randint(0, 2))
        self.data.open_region("kernels", [], used, used, scalars + ["i", "j"])
        self.add("{")
        self.depth += 1
        for _ in range(self.chance.randint(1, 3)):
            self.add_any_loop(used, scalars)
        self.depth -= 1
        self.add("}")

    def add_any_loop(self, used, scalars):
        written = self.chance.choice(used)
        loops = self.loops_for(written, self.chance.randint(0, 2))
        for k, loop in enumerate(loops):
            self.add("  " * k + self.head(loop, self.chance.random() < 0.5) + " {")
        read = [f"(long){self.element(one, loops)}" for one in used]
        if scalars and self.chance.random() < 0.6:
            self.add_scalar_statement(self.chance.choice(scalars), loops, read)
            read = read + (scalars if self.chance.random() < 0.3 else [])
        for _ in range(self.chance.randint(1, 2)):
            self.add("  " * len(loops) + f"{self.element(written, loops)} = {self.stored(self.value(loops, read))};")
        if scalars and self.chance.random() < 0.3:
            self.add_scalar_statement(self.chance.choice(scalars), loops, read)
        self.add("}" * len(loops))

    def add_scalar_statement(self, name, loops, read):
        if self.chance.random() < 0.5:
            line = self.combination(name, self.chance.choice(REDUCTIONS), self.value(loops, read, 1))
        else:
            line = f"{name} = {self.stored(self.value(loops, read, 1))};"
            if self.chance.random() < 0.3:
                line = f"if ({self.value(loops, read, 1)} > 3) {line}"
        self.add("  " * len(loops) + line)

    def add_host_code(self):
        array = self.chance.choice(self.arrays)
        self.data.use_on_host(array, is_written=True)
        self.add(array.loops(lambda at: f"{array.name}{at} = (long)({array.name}{at} * 2 + {len(self.lines)}) % 1009;"))


if __name__ == "__main__":
    import sys
    print(Program(int(sys.argv[1]), "messages" in sys.argv[2:]).text(), end="")
