/* Somebody else's preload library. */
int other_library(void);

int other_library(void)
{
	return 1;
}
