"""message_steps.py - messages of a random program, whose buffers are on the host or on the device.

Each rank sends a part of one array to the rank that is some distance away, and receives a part of another one of the
same type. All ranks take the same steps, so that every message has its receive.
"""

MPI_TYPES = {"int": "MPI_INT", "long": "MPI_LONG", "double": "MPI_DOUBLE", "float": "MPI_FLOAT", "short": "MPI_SHORT"}
MOST_REQUESTS = 64

# Without directives nothing orders what uses the buffers behind the messages of a queue.
HEAD = f"""#include <mpi.h>
#ifdef PLAIN
#define acc_deviceptr(p) (p)
#define END_NOW(n, list) MPI_Waitall(n, list, MPI_STATUSES_IGNORE)
#else
#include <openacc.h>
#define END_NOW(n, list) (void)0
#endif
static MPI_Request requests[{MOST_REQUESTS}];
static int rank, ranks;
static int at_distance(int d) {{ return ((rank + d) % ranks + ranks) % ranks; }}
static MPI_Datatype column_of(MPI_Datatype of, int rows, int width) {{
  MPI_Datatype made;
  MPI_Type_vector(rows, 1, width, of, &made);
  MPI_Type_commit(&made);
  return made;
}}
"""
START = (f"  for (int n = 0; n < {MOST_REQUESTS}; ++n) requests[n] = MPI_REQUEST_NULL;\n"
         "  MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
         "  MPI_Comm_size(MPI_COMM_WORLD, &ranks);\n")


def elements(array):
    rows = array.dimensions[0]
    return rows * array.dimensions[1] if len(array.dimensions) > 1 else rows


class Part:
    """A part of an array as a message has it: `at` is the address, `count` and `type` are arguments of MPI."""

    def __init__(self, chance, array, length):
        self.array = array
        of = MPI_TYPES[array.type]
        if len(array.dimensions) > 1 and array.dimensions[0] == length and chance.random() < 0.7:
            width = array.dimensions[1]
            self.at, self.count = f"&{array.name}[0][{chance.randint(0, width - 1)}]", 1
            self.type = f"column_of({of}, {length}, {width})"
            return
        first = chance.randint(0, elements(array) - length)
        place = f"[{first}]" if len(array.dimensions) == 1 else f"[0][{first}]"
        self.at, self.count, self.type = f"&{array.name}{place}", length, of

    def arguments(self, at=None):
        return f"{at or self.at}, {self.count}, {self.type}"


class Messages:
    def __init__(self, program):
        self.program, self.data = program, program.data
        self.begun = 0  # requests that have been used

    def chance(self):
        return self.program.chance

    def add(self, *lines):
        for line in lines:
            self.program.add(line)

    def add_step(self):
        pairs = [(x, y) for x in self.program.arrays for y in self.program.arrays if x is not y and x.type == y.type]
        if not pairs or self.begun + 2 > MOST_REQUESTS:
            return
        sent, received = self.chance().choice(pairs)
        length = self.chance().randint(1, min(elements(sent), elements(received)))
        if self.chance().random() < 0.3:  # a column fits
            length = min(sent.dimensions[0], elements(received))
        source, target = (Part(self.chance(), one, length) for one in (sent, received))
        are_present = all(self.data.of(one).is_present for one in (sent, received))
        forms = [self.add_on_device, self.add_in_queue, self.add_in_queue, self.add_by_pointer, self.add_host_data,
                 self.add_reduction]
        form = self.chance().choice(forms) if are_present else self.add_on_host
        if are_present and form is not self.add_on_host:
            for one in sent, received:
                self.data.bring_to_device(one)
        form(source, target, self.chance().randint(-1, 2))

    def ends(self, distance):
        """Destination and source, with their tag and communicator."""
        return (f"at_distance({distance}), {self.begun}, MPI_COMM_WORLD",
                f"at_distance({-distance}), {self.begun}, MPI_COMM_WORLD")

    def sendrecv(self, source, target, distance):
        to, of = self.ends(distance)
        return (f"MPI_Sendrecv({source}, {to.replace(', MPI_COMM_WORLD', '')}, {target}, {of}, MPI_STATUS_IGNORE);")

    def was_received(self, target):
        state = self.data.of(target.array)
        state.is_host_right, state.is_device_right = False, True

    def add_on_host(self, source, target, distance):
        self.data.use_on_host(source.array, is_written=False)
        self.data.use_on_host(target.array, is_written=True)
        self.add(self.sendrecv(source.arguments(), target.arguments(), distance))

    def add_on_device(self, source, target, distance):
        self.data.finish([source.array, target.array])
        to, of = self.ends(distance)
        if self.chance().random() < 0.5:
            self.add("#pragma acc mpi sendbuf(device) recvbuf(device)",
                     self.sendrecv(source.arguments(), target.arguments(), distance))
        else:
            own = f"&requests[{self.begun}]"
            self.begun += 1
            self.add("#pragma acc mpi sendbuf(device)", f"MPI_Isend({source.arguments()}, {to}, {own});",
                     "#pragma acc mpi recvbuf(device)", f"MPI_Recv({target.arguments()}, {of}, MPI_STATUS_IGNORE);",
                     f"MPI_Wait({own}, MPI_STATUS_IGNORE);")
        self.was_received(target)

    def add_in_queue(self, source, target, distance):
        queue = self.chance().randint(1, 3)
        for one in sorted({self.data.of(part.array).queue for part in (source, target)} - {None, queue}):
            self.add(f"#pragma acc wait({one}) async({queue})")
        to, of = self.ends(distance)
        first = self.begun
        self.begun += 2
        calls = [(f"#pragma acc mpi sendbuf(device) async({queue})",
                  f"MPI_Isend({source.arguments()}, {to}, &requests[{first}]);"),
                 (f"#pragma acc mpi recvbuf(device) async({queue})",
                  f"MPI_Irecv({target.arguments()}, {of}, &requests[{first + 1}]);")]
        self.chance().shuffle(calls)
        for call in calls:
            self.add(*call)
        self.add(f"END_NOW(2, &requests[{first}]);")
        if self.chance().random() < 0.3:
            self.add(f"MPI_Waitall(2, &requests[{first}], MPI_STATUSES_IGNORE);")
        self.was_received(target)
        for part in source, target:
            self.data.of(part.array).queue = queue

    def add_by_pointer(self, source, target, distance):
        self.data.finish([source.array, target.array])
        self.add(self.sendrecv(source.arguments(f"acc_deviceptr({source.at})"),
                               target.arguments(f"acc_deviceptr({target.at})"), distance))
        self.was_received(target)

    def add_host_data(self, source, target, distance):
        self.data.finish([source.array, target.array])
        self.add(f"#pragma acc host_data use_device({source.array.name}, {target.array.name})",
                 self.sendrecv(source.arguments(), target.arguments(), distance))
        self.was_received(target)

    def add_reduction(self, source, target, distance):
        """Of all ranks; `distance` chooses the operation."""
        if source.count != target.count or source.type != target.type:
            return self.add_on_device(source, target, distance)
        self.data.finish([source.array, target.array])
        operation = ("MPI_MAX", "MPI_MIN", "MPI_SUM")[distance % 3]
        self.add("#pragma acc mpi sendbuf(device) recvbuf(device)",
                 f"MPI_Allreduce({source.at}, {target.arguments()}, {operation}, MPI_COMM_WORLD);")
        if operation == "MPI_SUM":  # values stay small
            self.add(f"#pragma acc parallel loop present({target.array.section()})")
            name = target.array.name
            self.add(target.array.loops(lambda at: f"{name}{at} = (long){name}{at} % 1009;"))
        self.was_received(target)

    def end_all(self):
        self.add(f"MPI_Waitall({MOST_REQUESTS}, requests, MPI_STATUSES_IGNORE);")
