from Cython.Build import cythonize
from setuptools import Extension, setup

setup(
    name="with_cython",
    version="0.1",
    ext_modules=cythonize(
        [Extension("with_cython", ["with_cython.pyx"], extra_compile_args=["-O2"])],
        compiler_directives={"language_level": 3},
        emit_linenums=True,
    ),
)
