import pybind11
from setuptools import Extension, setup

setup(
    name="with_pybind11",
    version="0.1",
    ext_modules=[
        Extension(
            "with_pybind11",
            ["with_pybind11.cpp"],
            include_dirs=[pybind11.get_include()],
            extra_compile_args=["-O2", "-std=c++17"],
        )
    ],
)
