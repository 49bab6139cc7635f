import array
import ctypes

first, second = ctypes.PyDLL("./lose.so"), ctypes.PyDLL("./total.so")
second.other.restype = second.total.restype = ctypes.c_double
second.other(ctypes.c_double(0.3))
numbers = array.array("d", [0.3, 0.4])
address, count = numbers.buffer_info()
first.lose(ctypes.c_void_p(address), ctypes.c_long(count))
print(second.total(ctypes.c_void_p(address), ctypes.c_long(count)))  # TOTALS
