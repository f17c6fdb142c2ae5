/** Options of both test kits: for backends and for user memories. */
export interface UserMemoryTestOptions {
  /**
   * `"smoke"` runs about twenty rules that use each method and option once. If a backend passes the whole kit, use
   * `"smoke"` to test it with another client or connection mode. The smoke rules don't prove conformance, as their
   * titles state. With `"smoke"`, `seeds` is ignored. Default `"all"`.
   */
  readonly rules?: "all" | "smoke";
  /** Seeds of the random tests. Each seed makes one test. Default `[1]` for user memories, `[1, 2]` for backends. */
  readonly seeds?: readonly number[];
  /** Number of random operations per seed. Default 320 for user memories, 400 for backends. */
  readonly operations?: number;
  /** Time limit of a test in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
}
