import unittest

from ringlog import RingLog


def filled(size, lines):
    log = RingLog(size)
    for line in lines:
        log.write(line)
    return log


class SizeTest(unittest.TestCase):
    def test_a_new_log_is_empty(self):
        self.assertEqual(list(RingLog(3)), [])

    def test_no_more_than_size_lines_are_kept(self):
        for size in (1, 2, 5):
            with self.subTest(size=size):
                self.assertEqual(len(filled(size, "abcdefgh")), size)

    def test_a_size_below_one_is_refused(self):
        with self.assertRaises(ValueError):
            RingLog(0)


class OrderTest(unittest.TestCase):
    def test_lines_come_in_order_until_the_log_is_full(self):
        self.assertEqual(list(filled(3, "abc")), ["a", "b", "c"])

    def test_none_of_the_last_lines(self):
        self.assertEqual(filled(3, "abc").last(0), [])


if __name__ == "__main__":
    unittest.main()
