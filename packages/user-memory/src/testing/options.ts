/** Options of both kits. */
export interface UserMemoryTestOptions {
  /**
   * `"smoke"`: some twenty rules that try each method and option once. For another client or connection mode of a backend that
   * the whole kit is run on; by itself it proves no conformance, and the titles say so. `seeds` has no effect on it.
   * Default: `"all"`.
   */
  readonly rules?: "all" | "smoke";
  /** Seeds of the random tests; each is a test of its own. Default 1, of backends 1 and 2. */
  readonly seeds?: readonly number[];
  /** Random operations per seed. Default 320, of backends 400. */
  readonly operations?: number;
  /** Milliseconds that one test may take. Default 30,000. */
  readonly timeoutMs?: number;
}
