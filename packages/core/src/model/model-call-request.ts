import type { Message } from "@jaf/memory";
import type { RunState } from "../state.ts";
import type { ModelCompletion } from "./completion.ts";
import type { ModelConfig } from "./model-config.ts";

/** What of a request a middleware may change. */
export interface ModelCallChanges {
  readonly instructions?: string;
  /** What the model gets of the conversation. The conversation itself stays as it is. */
  readonly messages?: readonly Message[];
  /** The names of those of the agent's tools that the model may call. */
  readonly tools?: readonly string[];
  /** In place of the agent's settings, all of them. */
  readonly modelConfig?: ModelConfig;
  /** The model's name. It outranks `RunConfig.modelOverride`. */
  readonly model?: string;
}

/** A model call as a middleware sees it. */
export interface ModelCallRequest<Ctx> {
  /** Of the run; its messages are those of the whole conversation that the run has. */
  readonly state: Readonly<RunState<Ctx>>;
  /** The key in the registry of the agent that asks. */
  readonly agentName: string;
  readonly instructions: string;
  /** What the model gets of the conversation. */
  readonly messages: readonly Message[];
  /** The names of the agent's tools. */
  readonly tools: readonly string[];
  readonly modelConfig: ModelConfig;
  /** `RunConfig.modelOverride`, or the agent's; absent: the provider chooses. */
  readonly model?: string;
  /** Aborted with the run, when the hooks' time is up, and once the call is over. */
  readonly signal: AbortSignal;
}

/** Asks the model, or the next middleware. */
export type NextModelCall = (changes?: ModelCallChanges) => Promise<ModelCompletion>;

/** See `Middleware.wrapModelCall`. */
export type WrapModelCall<Ctx> = (
  request: ModelCallRequest<Ctx>,
  next: NextModelCall,
) => Promise<ModelCompletion> | ModelCompletion;
