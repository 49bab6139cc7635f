#include <Python.h>

/* Adds a step so often, as a simulation advances its time. */
static double advance(double step, long steps)
{
    float time = 0;
    for (long i = 0; i < steps; i++)
        time += (float)step;
    return time;
}

static PyObject *drift_advance(PyObject *self, PyObject *arguments)
{
    double step;
    long steps;
    if (!PyArg_ParseTuple(arguments, "dl", &step, &steps))
        return NULL;
    return PyFloat_FromDouble(advance(step, steps));
}

static PyMethodDef methods[] = {
    {"advance", drift_advance, METH_VARARGS, "step, steps -> time"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "drift", NULL, -1, methods};

PyMODINIT_FUNC PyInit_drift(void)
{
    return PyModule_Create(&module);
}
