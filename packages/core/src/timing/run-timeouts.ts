/** How long the calls of a run may take, in milliseconds, from 1; `Infinity`: no limit. */
export interface RunTimeouts {
  /**
   * One attempt of a model call. When the time is over, the provider's signal is aborted and a later reply is ignored. This is a
   * transient failure, which is retried as `modelRetry` says; after the last attempt the run ends with a `ModelCallError` that
   * has `timeoutMs`. `Agent.modelConfig.timeoutMs` takes precedence. Default 600,000.
   */
  readonly modelMs?: number;
  /**
   * How long the model's stream may send nothing, before its first chunk and between two chunks. Otherwise like `modelMs`.
   * Default 300,000.
   */
  readonly modelIdleMs?: number;
  /** The default of `Tool.timeoutMs`. Default 600,000. */
  readonly toolMs?: number;
}
