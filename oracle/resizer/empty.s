// This file is empty on purpose: with it the compiler accepts the declarations without a body of the real functions.
