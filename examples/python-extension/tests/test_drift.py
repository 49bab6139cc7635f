import unittest

import drift


class Drift(unittest.TestCase):
    def test_advance(self):
        self.assertAlmostEqual(drift.advance(0.001, 100000), 100, delta=1)


if __name__ == "__main__":
    unittest.main()
