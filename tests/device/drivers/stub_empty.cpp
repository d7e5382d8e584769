// stub_empty.cpp - a library that has nothing of what is looked for in it.
