# A recipe for Spack (https://spack.readthedocs.io). In a clone of Stretto:
#
#   mkdir -p my-packages/packages/stretto && cp packaging/spack/package.py my-packages/packages/stretto
#   printf 'repo:\n  namespace: my\n' >my-packages/repo.yaml && spack repo add my-packages
#   spack dev-build stretto@0.1.0
from spack.package import *


class Stretto(CMakePackage):
    """Runtime for programs on many unlike processors: tasks, buffers on all devices of all nodes, MPI programs."""

    license("Apache-2.0")

    version("0.1.0")

    variant("shared", default=True, description="one libstretto for the programs and libraries of a process")
    variant("mpi", default=True, description="jobs of several nodes over MPI")
    variant("opencl", default=True, description="devices of OpenCL; those of CUDA need nothing to be built")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("boost@1.74: +context")
    depends_on("hwloc@2:")
    depends_on("fmt@9:")
    depends_on("spdlog@1.10: +fmt_external")
    depends_on("nlohmann-json@3.11:")
    depends_on("tomlplusplus", type="build")
    depends_on("cli11@2:", type="build")
    depends_on("libpng")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("mpi", when="+mpi")
    depends_on("opencl-c-headers", when="+opencl", type="build")

    generator("ninja")
    conflicts("%gcc@:11", msg="C++20 needs gcc 12 or newer")

    def cmake_args(self):
        args = [self.define_from_variant("BUILD_SHARED_LIBS", "shared")]
        args += [self.define(f"STRETTO_{part}", False) for part in ("TESTS", "BENCH", "EXAMPLES")]
        if self.spec.satisfies("~mpi"):
            args += [self.define(f"STRETTO_MPI_COMPILER_{name}", False) for name in ("openmpi", "mpich")]
        return args
