#include "shim/env.h"

#include <string.h>

#define OURS "EVENKEEL"

bool env_is_ours(const char *entry)
{
	size_t n = strlen(OURS);

	return !strncmp(entry, OURS, n) && (entry[n] == '=' || entry[n] == '_');
}

bool env_is(const char *entry, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(entry, name, n) && entry[n] == '=';
}

static bool separator(char c)
{
	return c == ':' || c == ' ';
}

/* The next name in a preload list; false at its end. */
static bool next_name(const char **list, const char **name, size_t *len)
{
	while (separator(**list))
		++*list;
	*name = *list;
	while (**list && !separator(**list))
		++*list;
	*len = (size_t)(*list - *name);
	return *len > 0;
}

static bool name_is_us(const char *name, size_t len)
{
	size_t us = strlen(ENV_LIBRARY);

	return len >= us && !memcmp(name + len - us, ENV_LIBRARY, us) &&
	       (len == us || name[len - us - 1] == '/');
}

const char *env_preload_us(const char *list, size_t *len)
{
	const char *name;

	while (next_name(&list, &name, len))
		if (name_is_us(name, *len))
			return name;
	return NULL;
}

bool env_preload_has_us(const char *list)
{
	size_t len;

	return env_preload_us(list, &len) != NULL;
}

char *env_preload_without_us(struct arena *a, const char *list)
{
	char *out = arena_alloc(a, strlen(list) + 1), *end = out;
	const char *name, *rest = list;
	size_t len;

	if (!out)
		return NULL;
	if (!env_preload_has_us(list))
		return memcpy(out, list, strlen(list) + 1);
	while (next_name(&rest, &name, &len)) {
		if (name_is_us(name, len))
			continue;
		/* The separator that stood before the name goes with it. */
		if (end > out)
			*end++ = name[-1];
		memcpy(end, name, len);
		end += len;
	}
	*end = '\0';
	return out;
}

char *env_entry(struct arena *a, const char *name, const char *value)
{
	size_t n = strlen(name), v = strlen(value);
	char *entry = arena_alloc(a, n + 1 + v + 1);

	if (!entry)
		return NULL;
	memcpy(entry, name, n);
	entry[n] = '=';
	memcpy(entry + n + 1, value, v + 1);
	return entry;
}

char **env_without_us(struct arena *a, char *const *envp, unsigned int extra, unsigned int *n)
{
	unsigned int count = 0, kept = 0;
	char **env;

	while (envp[count])
		count++;
	env = arena_array(a, (size_t)count + extra + 1, sizeof(*env));
	if (!env)
		return NULL;
	for (; *envp; envp++) {
		const char *list = *envp + strlen(ENV_PRELOAD) + 1;

		if (env_is_ours(*envp))
			continue;
		if (!env_is(*envp, ENV_PRELOAD) || !env_preload_has_us(list)) {
			env[kept++] = *envp;
			continue;
		}
		list = env_preload_without_us(a, list);
		if (!list)
			return NULL;
		if (!*list)
			continue;
		env[kept] = env_entry(a, ENV_PRELOAD, list);
		if (!env[kept++])
			return NULL;
	}
	*n = kept;
	return env;
}

void env_put(char **env, unsigned int *n, char *entry)
{
	size_t name = strcspn(entry, "=") + 1;
	unsigned int i = 0;

	while (i < *n && strncmp(env[i], entry, name))
		i++;
	env[i] = entry;
	if (i == *n)
		env[++*n] = NULL;
}
