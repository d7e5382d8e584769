"""stretto_gdb.py - Stretto in gdb: readable handles, and the command `stretto tasks`.

gdb loads it automatically with an installed shared libstretto; else `source .../stretto_gdb.py`.

A table in the program (src/sched/debugger.cpp) describes the memory layout of schedulers and stacks. The command
therefore works without debug information, in a running process and in a core file. The stack of a suspended task is
shown by an unwinder that makes the newest frame, for a moment, appear to be called from the suspension point.
"""
import re

import gdb
import gdb.printing
import gdb.unwinder

WORD = 8
NO_EVENT = 0
TASK_BIT = 1 << 63


# --- memory -----------------------------------------------------------------------------------------------------------

def word(address):
    return int.from_bytes(gdb.selected_inferior().read_memory(address, WORD).tobytes(), "little")


def text(address):
    """The C string at an address, or None for null."""
    if not address:
        return None
    found = b""
    while b"\0" not in found and len(found) < 4096:
        found += gdb.selected_inferior().read_memory(address + len(found), 1).tobytes()
    return found.split(b"\0")[0].decode("utf-8", "replace")


def symbol(name):
    return int(gdb.parse_and_eval(f"(unsigned long)&{name}"))


class Layout:
    """Offsets by name, as the program itself tells them."""

    def __init__(self):
        self.bytes = {}
        at = symbol("stretto_debug_layout")
        while word(at):
            self.bytes[text(word(at))] = word(at + WORD)
            at += 2 * WORD

    def __getitem__(self, name):
        return self.bytes[name]

    def member(self, address, name):
        return word(address + self[name])


def place_in_source(address):
    """file:line of a std::source_location, given the address of the object, or None."""
    inner = word(address) if address else 0
    if not inner:
        return None
    file = text(word(inner)) or "?"
    line = int.from_bytes(gdb.selected_inferior().read_memory(inner + 2 * WORD, 4).tobytes(), "little")
    return f"{file.rsplit('/', 1)[-1]}:{line}"


# --- handles ----------------------------------------------------------------------------------------------------------

def event_text(bits):
    if bits == NO_EVENT:
        return "E-"
    node, slot, generation = bits >> 48, bits >> 21 & (1 << 27) - 1, bits & (1 << 21) - 1
    return (f"N{node}:" if node else "") + f"E{slot}.{generation}"


def task_text(layout, record):
    if not record:
        return "the body of run"
    name = text(layout.member(record, "task_record.name"))
    where = place_in_source(record + layout["task_record.where"]) or "?"
    return f'task "{name}" ({where})' if name else f"task at {where}"


def completion_text(address):
    """A task that others wait for. The two lowest bits of its first word: done, poisoned."""
    state = word(address)
    ended = "failed" if state & 3 == 3 else "done" if state & 1 else "pending"
    try:
        return f"{task_text(Layout(), address)}, {ended}"
    except gdb.error:
        return ended


class EventPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return event_text(int(self.value["bits_"]))


class DependencyPrinter(EventPrinter):
    def to_string(self):
        bits = int(self.value["bits_"])
        return completion_text(bits & ~TASK_BIT) if bits & TASK_BIT else event_text(bits)


class FuturePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        record = int(self.value["record_"])
        return f"future of {completion_text(record)}" if record else "future of nothing"


class PlacePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return f"P{int(self.value['index'])}"


class PointPrinter:
    """min and max of a box: as many numbers as it has axes."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        low, high = self.value["min_"], self.value["max_"]
        return f"[{low.format_string()} .. {high.format_string()})"


class InstancePrinter:
    """Its handle's fields: which memory, which block, how large."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "instance"

    def children(self):
        handle = self.value["handle_"]
        return ((field.name, handle[field]) for field in handle.type.fields())


def printers():
    all_of_them = gdb.printing.RegexpCollectionPrettyPrinter("stretto")
    all_of_them.add_printer("event", r"^stretto::(user_)?event$", EventPrinter)
    all_of_them.add_printer("dependency", r"^stretto::dependency$", DependencyPrinter)
    all_of_them.add_printer("future", r"^stretto::(future<.*>|detail::future_base)$", FuturePrinter)
    all_of_them.add_printer("place", r"^stretto::place$", PlacePrinter)
    all_of_them.add_printer("box", r"^stretto::box$", PointPrinter)
    all_of_them.add_printer("instance", r"^stretto::instance<.*>$", InstancePrinter)
    return all_of_them


# --- suspended tasks --------------------------------------------------------------------------------------------------

class FrameId:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class LeftStack(gdb.unwinder.Unwinder):
    """While `saved` is set, the newest frame seems to have been called from where that stack was left.

    What switch_stack (src/sched/context/x86_64.cpp) pushed last is where to go on; it says itself where the registers
    are.
    """

    def __init__(self):
        super().__init__("stretto: stacks of suspended tasks")
        self.saved = self.newest_sp = None

    def __call__(self, pending):
        if self.saved is None or int(pending.read_register("rsp")) != self.newest_sp:
            return None
        sp = self.saved + WORD
        if sp == self.newest_sp:
            return None
        number = gdb.lookup_type("long")
        info = pending.create_unwind_info(FrameId(gdb.Value(self.newest_sp).cast(number),
                                                  pending.read_register("rip")))
        for register, value in [("rip", word(self.saved)), ("rsp", sp)]:
            info.add_saved_register(register, gdb.Value(value).cast(number))
        return info

    def frames(self, saved):
        """[(text, whether it is the runtime's own)] of a stack that was left."""
        self.newest_sp = int(gdb.newest_frame().read_register("rsp"))
        self.saved = saved
        gdb.invalidate_cached_frames()
        found = []
        try:
            frame = gdb.newest_frame().older()
            while frame is not None and frame.is_valid() and len(found) < 64:
                if frame.pc() == 0:
                    break  # the base of a stack
                found.append((frame_text(frame), is_of_runtime(frame)))
                frame = frame.older()
        except gdb.error as fault:
            found.append((f"(the stack cannot be read further: {fault})", False))
        finally:
            self.saved = None
            gdb.invalidate_cached_frames()
        return found


def frame_text(frame):
    line = frame.find_sal()
    where = f" at {line.symtab.filename.rsplit('/', 1)[-1]}:{line.line}" if line.symtab else ""
    return f"{frame.name() or hex(frame.pc())}{where}"


def is_of_runtime(frame):
    """Frames that every suspension has, which tell the user nothing."""
    line = frame.find_sal()
    file = line.symtab.fullname() if line.symtab else ""
    return (frame.name() or "").startswith("stretto::") or re.search(r"/(src/(sched|event|data|api)|include/stretto)/",
                                                                     file)


def suspensions(layout):
    """(scheduler's number in the list, address) of every suspension."""
    entry, number = word(symbol("stretto_debug_schedulers")), 0
    while entry:
        scheduler = layout.member(entry, "debugged.shown")
        begin, end = (word(scheduler + layout["scheduler.workers"] + i * WORD) for i in (0, 1))
        for at in range(begin, end, WORD):
            if left := layout.member(word(at), "worker.own_left"):
                yield number, left
        stack = word(scheduler + layout["scheduler.stacks"] + layout["stack_pool.newest"])
        while stack:
            if left := layout.member(stack, "stack.left"):
                yield number, left
            stack = layout.member(stack, "stack.older")
        entry, number = layout.member(entry, "debugged.next"), number + 1


def awaited(layout, suspension):
    bits = layout.member(suspension, "suspension.waits_for")
    if bits & TASK_BIT:
        return completion_text(bits & ~TASK_BIT)
    return f"event {event_text(bits)}" if bits else "its turn, or a finish"


class StrettoCommand(gdb.Command):
    """Stretto: `stretto tasks` lists suspended tasks."""

    def __init__(self):
        super().__init__("stretto", gdb.COMMAND_STACK, prefix=True)


class TasksCommand(gdb.Command):
    """stretto tasks [all]: suspended tasks, what they wait for and where they were left.

    `all` also shows the frames of the runtime itself."""

    def __init__(self, unwinder):
        super().__init__("stretto tasks", gdb.COMMAND_STACK)
        self.unwinder = unwinder

    def invoke(self, argument, from_tty):
        try:
            layout = Layout()
        except (gdb.error, gdb.MemoryError) as fault:
            raise gdb.GdbError(f"this program has no Stretto runtime that can be looked at: {fault}")
        count = 0
        for _, suspension in suspensions(layout):
            saved = layout.member(suspension, "suspension.saved")
            if not saved:
                continue  # it is just leaving its stack
            count += 1
            print(task_text(layout, layout.member(suspension, "suspension.current")))
            print(f"  waits for  {awaited(layout, suspension)}")
            where = place_in_source(layout.member(suspension, "suspension.where"))
            if where:
                print(f"  at         {where}")
            if layout["is_x86_64_stack"]:
                frames = self.unwinder.frames(saved)
                for frame, is_hidden in frames:
                    if argument == "all" or not is_hidden:
                        print(f"    {frame}")
            else:
                print("    stacks are shown on x86-64 only")
        print(f"{count} suspended" if count else "no task is suspended")


def register():
    here = gdb.current_objfile()
    gdb.printing.register_pretty_printer(here, printers(), replace=True)
    unwinder = LeftStack()
    gdb.unwinder.register_unwinder(here, unwinder, replace=True)
    StrettoCommand()
    TasksCommand(unwinder)


register()
