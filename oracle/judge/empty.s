// This file is empty on purpose: with it the compiler accepts the declarations without a body in version_136.go.
