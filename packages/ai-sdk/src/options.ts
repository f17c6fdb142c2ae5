import * as z from "zod";

/** Of {@link createAiSdkProvider}. */
export interface AiSdkProviderOptions {
  /** The name that a factory of models is asked for where neither the run nor the agent names one. */
  readonly model?: string;
  /**
   * What another model thought: left out (`"omit"`, default), or given as text in `<thinking>` (`"text"`). Signatures and
   * what is encrypted never go to another model.
   */
  readonly foreignReasoning?: "omit" | "text";
  /**
   * Whether an agent's `outputCodec` is sent as the schema of the reply, where it is of an object. Default `true`. `false`
   * is for models that refuse a schema, or one beside tools; the reply is decoded all the same.
   */
  readonly structuredOutput?: boolean;
  /** Of every call, by the provider's name. An agent's `modelConfig.providerOptions` outrank them, field by field. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Sent with every call, by providers that use HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Fetches a file that a message names by address and that the model's provider can't read itself. Its result is sent.
   * Default: nothing is fetched, and the address is sent. Addresses may come from users: check them against your own network.
   */
  readonly download?: (url: URL, request: DownloadRequest) => Promise<Uint8Array>;
}

export interface DownloadRequest {
  readonly mediaType: string;
  readonly signal: AbortSignal | undefined;
}

const isFunction = (value: unknown): value is AiSdkProviderOptions["download"] => typeof value === "function";

export const providerOptionsSchema: z.ZodType<AiSdkProviderOptions> = z.strictObject({
  model: z.string().min(1).exactOptional(),
  foreignReasoning: z.enum(["omit", "text"]).exactOptional(),
  structuredOutput: z.boolean().exactOptional(),
  providerOptions: z.record(z.string(), z.record(z.string(), z.unknown())).exactOptional(),
  headers: z.record(z.string(), z.string()).exactOptional(),
  download: z
    .custom<NonNullable<AiSdkProviderOptions["download"]>>(isFunction, "expected a function")
    .exactOptional(),
});
