from setuptools import Extension, setup

setup(
    name="drift",
    version="0.1",
    ext_modules=[Extension("drift", ["drift.c"], extra_compile_args=["-O2"])],
)
