import type { Message } from "@jaf/memory";
import type { RunState } from "../state.ts";
import type { ModelCompletion } from "./completion.ts";
import type { ModelConfig } from "./model-config.ts";

/** The fields of a request that a middleware may change. */
export interface ModelCallChanges {
  readonly instructions?: string;
  /** The messages that the model gets. The conversation itself isn't changed. */
  readonly messages?: readonly Message[];
  /** The names of the agent's tools that the model may call. */
  readonly tools?: readonly string[];
  /** Replaces all of the agent's settings. */
  readonly modelConfig?: ModelConfig;
  /** The model's name. Takes precedence over `RunConfig.modelOverride`. */
  readonly model?: string;
}

/** A model call as a middleware sees it. */
export interface ModelCallRequest<Ctx> {
  /** The run's state, with all messages that the run has of the conversation. */
  readonly state: Readonly<RunState<Ctx>>;
  /** The registry key of the agent that calls the model. */
  readonly agentName: string;
  readonly instructions: string;
  /** The messages that the model gets. */
  readonly messages: readonly Message[];
  /** The names of the agent's tools. */
  readonly tools: readonly string[];
  readonly modelConfig: ModelConfig;
  /** The model's name, of `RunConfig.modelOverride` or the agent. Absent: the provider chooses. */
  readonly model?: string;
  /** Aborted with the run, when the hooks' time limit is reached, and at the end of the call. */
  readonly signal: AbortSignal;
}

/** Calls the next middleware, or the model. */
export type NextModelCall = (changes?: ModelCallChanges) => Promise<ModelCompletion>;

/** See `Middleware.wrapModelCall`. */
export type WrapModelCall<Ctx> = (
  request: ModelCallRequest<Ctx>,
  next: NextModelCall,
) => Promise<ModelCompletion> | ModelCompletion;
