/** Options of both kits. */
export interface UserMemoryTestOptions {
  /**
   * `"smoke"` runs about twenty rules that use each method and option once. Use it for further clients or connection modes of
   * a backend that passes the whole kit. It doesn't prove conformance, as the titles state. It ignores `seeds`. Default
   * `"all"`.
   */
  readonly rules?: "all" | "smoke";
  /** Seeds of the random tests, one test each. Default `[1]`, for backends `[1, 2]`. */
  readonly seeds?: readonly number[];
  /** Number of random operations per seed. Default 320, for backends 400. */
  readonly operations?: number;
  /** Time limit of a test in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
}
