import * as z from "zod";

/** Options of {@link createAiSdkProvider}. */
export interface AiSdkProviderOptions {
  /** Name of the model that the factory gets if neither the run nor the agent sets a model. */
  readonly model?: string;
  /**
   * Whether readable reasoning of other models is left out (`"omit"`, default) or sent as text in `<thinking>` (`"text"`).
   * Signatures and encrypted reasoning are never sent to other models.
   */
  readonly foreignReasoning?: "omit" | "text";
  /**
   * Whether the model gets the schema of an agent's `outputCodec`, if it is an object schema. Default `true`. Set `false`
   * for models that refuse a schema, or a schema together with tools. The reply is decoded in both cases.
   */
  readonly structuredOutput?: boolean;
  /**
   * Provider options for every model call, by provider name. Fields in the agent's `modelConfig.providerOptions` override
   * them.
   */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** HTTP headers for every model call. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Downloads a file whose URL the model's provider can't load. The file's data is sent in place of the URL. Default:
   * nothing is downloaded, and the URL is sent. URLs may come from users, so block URLs that point into your own network, also
   * after each redirect.
   */
  readonly download?: (url: URL, request: DownloadRequest) => Promise<Uint8Array>;
}

/** The second argument of `download`, after the URL. */
export interface DownloadRequest {
  /** The file's media type, e.g. `"image/png"`. */
  readonly mediaType: string;
  /** Aborted when the run is stopped or the model call times out. */
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
