"""array_states.py - where the arrays of a random program are, and the clauses and directives that keep them right."""


class State:
    """Of one array."""

    def __init__(self):
        self.is_present = False
        self.is_host_right = True
        self.is_device_right = False
        self.queue = None  # with operations that use it and may not have ended


class Data:
    def __init__(self, program):
        self.program = program
        self.states = {}
        self.open = []  # data regions: the arrays of each, with their clauses

    def of(self, array):
        return self.states.setdefault(array, State())

    def chance(self):
        return self.program.chance

    # Queues.

    def finish(self, uses, queue=None):
        """What other queues than `queue` do with these variables ends first. Returns clauses for a region."""
        clauses = []
        pending = sorted({self.of(one).queue for one in uses} - {None, queue})
        for one in pending:
            way = self.chance().random()
            if queue is not None and way < 0.3:
                self.program.add(f"#pragma acc wait({one}) async({queue})")
            elif queue is not None and way < 0.6:
                clauses.append(f"wait({one})")
            else:
                self.program.add(f"#pragma acc wait({one})")
                for state in self.states.values():
                    state.queue = None if state.queue == one else state.queue
        return clauses

    # Regions.

    def open_region(self, name, clauses, used, written, scalars):
        """The directive of a region that uses arrays, and changes some of them and some variables."""
        queue = self.chance().randint(1, 3) if self.chance().random() < 0.3 else None
        for array in used:
            self.bring_to_device(array)
        before = self.finish(used + scalars, queue)
        if queue is not None:
            clauses = clauses + [f"async({queue})"] + before
        moved = [self.clause_of(array, array in written) for array in used]
        if not any(self.of(array).is_present for array in used) and self.chance().random() < 0.1:
            clauses = clauses + [self.chance().choice(("if(one > 1)", "self", "if(one)"))]
        # Clauses for kinds of devices come last.
        parts = [one for one in moved if one] + clauses
        parts.sort(key=lambda one: one.startswith("device_type"))
        self.program.add(f"#pragma acc {name} " + " ".join(parts))
        for one in used + scalars:
            self.of(one).queue = queue
        for array in written:
            state = self.of(array)
            state.is_host_right, state.is_device_right = not state.is_present, state.is_present

    def clause_of(self, array, is_written):
        state, roll = self.of(array), self.chance().random()
        if state.is_present:
            return f"present({array.name})" if roll < 0.4 else f"copy({array.section()})" if roll < 0.5 else ""
        if not array.is_behind_pointer() and roll < 0.4:
            return f"copy({array.name})" if roll < 0.2 else ""
        clause = "copyin" if not is_written and roll < 0.8 else "copy"
        return f"{clause}({array.section()})"

    def bring_to_device(self, array):
        state = self.of(array)
        if state.is_present and not state.is_device_right:
            self.update(array, "device")

    def use_on_host(self, array, is_written):
        self.finish([array])
        state = self.of(array)
        if not state.is_host_right:
            self.update(array, self.chance().choice(("self", "host")))
        if is_written:
            state.is_device_right = False

    def update(self, array, to):
        self.finish([array])
        rows = array.dimensions[0]
        cut = self.chance().randint(1, rows - 1)
        rest = "".join(f"[0:{one}]" for one in array.dimensions[1:])
        parts = [f"{array.name}[0:{cut}]{rest}", f"{array.name}[{cut}:{rows - cut}]{rest}"]
        whole = array.section() if array.is_behind_pointer() else array.name
        text = ", ".join(parts) if self.chance().random() < 0.4 else whole
        self.program.add(f"#pragma acc update {to}({text})")
        state = self.of(array)
        state.is_host_right = state.is_device_right = True

    # Data regions.

    def add_step(self):
        roll = self.chance().random()
        absent = [one for one in self.program.arrays if not self.of(one).is_present]
        if self.open and (roll < 0.4 or not absent):
            return self.leave()
        if absent:
            self.enter(self.chance().sample(absent, self.chance().randint(1, len(absent))))

    def enter(self, arrays):
        self.finish(arrays)
        is_block = self.chance().random() < 0.6
        ways = {}
        for array in arrays:
            ways[array] = self.chance().choice(("copy", "copyin", "create", "copyout") if is_block else
                                               ("copyin", "create"))
            state = self.of(array)
            state.is_present, state.is_device_right = True, ways[array] in ("copy", "copyin")
        clauses = " ".join(f"{ways[one]}({one.section() if one.is_behind_pointer() else one.name})" for one in arrays)
        self.program.add(f"#pragma acc {'data' if is_block else 'enter data'} {clauses}")
        if is_block:
            self.program.add("{")
            self.program.depth += 1
        self.open.append((is_block, ways))

    def leave(self):
        is_block, ways = self.open.pop()
        if not is_block:
            # The way out is chosen here.
            ways = {array: self.chance().choice(("copyout", "delete")) for array in ways}
        self.finish(list(ways))
        for array, way in ways.items():
            state = self.of(array)
            is_copied = way in ("copy", "copyout")
            if is_copied and not state.is_device_right:
                self.update(array, "device")
            if not is_copied and not state.is_host_right:
                self.update(array, "self")
            state.is_present, state.is_host_right, state.is_device_right = False, True, False
        if is_block:
            self.program.depth -= 1
            self.program.add("}")
            return
        for way in sorted(set(ways.values())):
            names = ", ".join(one.section() if one.is_behind_pointer() else one.name
                              for one in ways if ways[one] == way)
            self.program.add(f"#pragma acc exit data {way}({names})")

    def leave_all(self):
        while self.open:
            self.leave()
        self.program.add("#pragma acc wait")
