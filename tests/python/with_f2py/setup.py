import os
import subprocess
import sys

import numpy
import numpy.f2py
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class BuildFortran(build_ext):
    """f2py writes the module in C; Fortran is compiled by $FC, as build systems do."""

    def build_extension(self, extension):
        os.makedirs(self.build_temp, exist_ok=True)
        source = os.path.abspath("with_f2py.f90")
        subprocess.check_call(
            [sys.executable, "-m", "numpy.f2py", source, "-m", extension.name], cwd=self.build_temp
        )
        include = os.path.join(os.path.dirname(numpy.f2py.__file__), "src")
        extension.include_dirs += [numpy.get_include(), include]
        extension.sources = [
            os.path.join(self.build_temp, extension.name + "module.c"),
            os.path.join(include, "fortranobject.c"),
        ]
        wrappers = os.path.join(self.build_temp, extension.name + "-f2pywrappers.f")
        for text in filter(os.path.exists, (source, wrappers)):
            made = os.path.join(self.build_temp, os.path.basename(text) + ".o")
            fortran = os.environ.get("FC", "gfortran")
            subprocess.check_call([fortran, "-O2", "-g", "-fPIC", "-c", text, "-o", made])
            extension.extra_objects.append(made)
        super().build_extension(extension)


setup(
    name="with_f2py",
    version="0.1",
    cmdclass={"build_ext": BuildFortran},
    ext_modules=[Extension("with_f2py", [])],
)
