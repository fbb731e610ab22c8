// What every unit test includes; see TCTargets.cmake.
#include <gtest/gtest.h>
