import { type ModelServiceOptions, serviceOptions } from "@jaf/model-http";
import * as z from "zod";

/** What both APIs take. */
export interface OpenAIEndpointOptions extends ModelServiceOptions {
  /** Default: `OPENAI_API_KEY`. An endpoint other than OpenAI's may do without. */
  readonly apiKey?: string | undefined;
  /** Up to and without the API's own path. Default: `OPENAI_BASE_URL`, else `https://api.openai.com/v1`. */
  readonly baseURL?: string | undefined;
  /** Sent as `OpenAI-Organization`. */
  readonly organization?: string | undefined;
  /** Sent as `OpenAI-Project`. */
  readonly project?: string | undefined;
}

/** Of a schema for options. */
export const endpointFields = () => ({
  ...serviceOptions,
  organization: z.string().min(1).optional(),
  project: z.string().min(1).optional(),
});
