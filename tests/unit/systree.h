/* Makes sys and proc trees in temporary folders, for readers with a root. */
#ifndef EVENKEEL_TESTS_SYSTREE_H
#define EVENKEEL_TESTS_SYSTREE_H

/* A new empty folder below $TMPDIR, else /dev/shm or /tmp; the path is from malloc. The test
 * fails when there is none to be had. */
char *systree_new(void);

/* Writes content and a newline to ROOT/path, whose folders are made. Beside a
 * cpu list the same set is written as a mask, as /sys has it. A {LIST} in path
 * stands for each of its numbers, {+K} and {-K} in content for that number plus
 * or minus K, \n in content for a newline. */
void systree_put(const char *root, const char *path, const char *content);

/* Deletes ROOT/path, or a whole folder. */
void systree_delete(const char *root, const char *path);

/* A new folder that holds the tree listed in file (tests/machines/NAME.sys;
 * its form is in tests/machines/generate). */
char *systree_expand(const char *file);

/* Deletes root and all below, and frees it. */
void systree_free(char *root);

#endif
