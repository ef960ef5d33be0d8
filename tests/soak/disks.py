"""Small file systems that can be filled."""

import os
import shutil
import subprocess
from pathlib import Path

FILLER = "filler"


def may_mount() -> bool:
    """Only root may mount, and only where the system lets it."""
    return os.geteuid() == 0 and shutil.which("mount") is not None


class SmallDisk:
    """A folder on a file system of so many megabytes, in memory."""

    def __init__(self, folder: Path, megabytes: int):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", folder], check=True
        )

    def fill(self) -> None:
        """Leave no byte."""
        with (self.folder / FILLER).open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(2**16))
            except OSError:
                return

    def empty(self) -> None:
        """The space is back; all else stays."""
        (self.folder / FILLER).unlink(missing_ok=True)

    def unmount(self) -> None:
        subprocess.run(["umount", "--lazy", self.folder], check=False)
