"""bare_system.py - a Debian 12 with nothing but what each system has, in a folder; tests install and run things in it.
Needs root, debootstrap, and Debian's packages."""
import os
import shutil
import subprocess


def why_there_is_none():
    """What such a system needs and this machine lacks; empty: nothing."""
    missing = [tool for tool in ("debootstrap", "unshare") if not shutil.which(tool)]
    return "debootstrap and root are needed" if missing or os.geteuid() != 0 else ""


class BareSystem:
    def __init__(self, folder):
        """Made anew. Commands run in it, in mounts of their own."""
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(["debootstrap", "--variant=minbase", "bookworm", folder, "http://deb.debian.org/debian"],
                       check=True, stdout=subprocess.DEVNULL)

    def run(self, command, seconds=1800):
        """The output of a command of the shell, in /tmp, with its messages; a failure is an error."""
        mounts = " && ".join(f"mount --rbind /{one} {self.folder}/{one}" for one in ("proc", "dev", "sys"))
        variables = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root",
                     "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c", f'{mounts} && exec chroot {self.folder} sh -c "cd /tmp && $0"', command],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=variables, timeout=seconds)
        assert done.returncode == 0, f"{command}\n{done.stdout}"
        return done.stdout

    def install(self, *names):
        self.run("apt-get install -y -qq --no-install-recommends " + " ".join(names))
