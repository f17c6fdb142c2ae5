import { present } from "@jaf/memory/adapter";
import type { UserMemoryBackend } from "../backend.ts";

/**
 * Returns a new backend with the methods in `methods`. The other methods of the new backend call those of `backend`.
 * `backend` may be an instance of a class. Use this function to write a wrapper around a backend.
 *
 * @example
 * ```ts
 * import { extendUserMemoryBackend, type UserMemoryBackend } from "@jaf/user-memory/adapter";
 *
 * export const withLog = (backend: UserMemoryBackend): UserMemoryBackend =>
 *   extendUserMemoryBackend(backend, {
 *     commit: (user, change) => {
 *       console.log(`${change.put.length} facts change`);
 *       return backend.commit(user, change);
 *     },
 *   });
 * ```
 */
export function extendUserMemoryBackend(
  backend: UserMemoryBackend,
  methods: Partial<UserMemoryBackend>,
): UserMemoryBackend {
  return {
    name: backend.name,
    read: (...given) => backend.read(...given),
    commit: (...given) => backend.commit(...given),
    erase: (...given) => backend.erase(...given),
    match: (...given) => backend.match(...given),
    ...present({ nearest: backend.nearest?.bind(backend) }),
    list: (...given) => backend.list(...given),
    audit: (...given) => backend.audit(...given),
    jobs: backend.jobs,
    close: () => backend.close(),
    toMemoryError: (...given) => backend.toMemoryError(...given),
    ...methods,
  };
}
