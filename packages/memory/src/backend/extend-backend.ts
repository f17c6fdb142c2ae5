import { extendObject } from "../extend-object.ts";
import type { MemoryBackend } from "./backend.ts";

/**
 * The backend with some of its methods replaced: what a wrapper begins with. All others are passed on, bound to the
 * backend, which may be an instance of a class.
 */
export const extendBackend = <B extends MemoryBackend>(backend: B, methods: Partial<MemoryBackend>): B =>
  extendObject(backend, methods);
