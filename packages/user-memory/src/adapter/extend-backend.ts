import { present } from "@jaf/memory/adapter";
import type { UserMemoryBackend } from "../backend.ts";

/**
 * Returns a backend with some methods replaced, as a base for wrappers. All others are called on the given backend, which may
 * be an instance of a class.
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
