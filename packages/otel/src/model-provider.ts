import type {
  ModelCompletion,
  ModelProvider,
  ModelStreamChunk,
  ResolvedAgent,
  RunConfig,
  RunState,
} from "@jaf/core";
import type { Message, ModelOrigin } from "@jaf/memory";
import { extendObject, present } from "@jaf/memory/internal";
import { type Attributes, context } from "@opentelemetry/api";
import { chatLabels, endChat, newChat, openChat } from "./chat.ts";
import { instructionsJson, messagesJson } from "./content.ts";
import { GEN_AI, JAF, providerName } from "./conventions.ts";
import { errorTypeOfThrown } from "./error-type.ts";
import { set } from "./metrics.ts";
import type { ChatCall, RunRecord } from "./runs.ts";
import type { Scope } from "./scope.ts";

type Asked<Ctx> = readonly [
  state: Readonly<RunState<Ctx>>,
  agent: ResolvedAgent<Ctx>,
  config: RunConfig<Ctx>,
];

/**
 * Wraps a model provider: its calls run within their `chat` spans, which get what only the model provider knows. A call
 * outside of the conversation (e.g. for a summary) gets a span of its own.
 */
export function observedModelProvider<Ctx, P extends ModelProvider<Ctx>>(scope: Scope, provider: P): P {
  const { getCompletionStream } = provider;
  return extendObject(provider, {
    getCompletion: (...asked: Asked<Ctx>) => complete(scope, provider, asked),
    ...(getCompletionStream && {
      getCompletionStream: (...asked: Asked<Ctx>) =>
        stream(openCall(scope, provider, { asked, streams: true }), () =>
          getCompletionStream.call(provider, ...asked),
        ),
    }),
  });
}

async function complete<Ctx>(
  scope: Scope,
  provider: ModelProvider<Ctx>,
  asked: Asked<Ctx>,
): Promise<ModelCompletion> {
  const call = openCall(scope, provider, { asked, streams: false });
  try {
    const completion = await call.within(() => provider.getCompletion(...asked));
    call.replied(completion);
    return completion;
  } catch (thrown) {
    call.failed(thrown);
    throw thrown;
  }
}

/** A stream whose source runs within the call's span. An object and not a generator, so that chunks take no detour. */
function stream(call: Call, open: () => AsyncIterable<ModelStreamChunk>): AsyncIterable<ModelStreamChunk> {
  return {
    [Symbol.asyncIterator]: () => {
      const source = call.within(() => open()[Symbol.asyncIterator]());
      let hasBegun = false;
      return {
        next: async () => {
          try {
            const result = await call.within(() => source.next());
            if (!hasBegun) call.begun();
            hasBegun = true;
            if (result.done !== true && result.value.type === "done") call.replied(result.value);
            return result;
          } catch (thrown) {
            call.failed(thrown);
            throw thrown;
          }
        },
        return: async () => (await call.within(() => source.return?.())) ?? { done: true, value: undefined },
      };
    },
  };
}

/** An attempt of a model call. */
interface Call {
  readonly within: <T>(work: () => T) => T;
  /** Called when the first chunk of a stream has come. */
  readonly begun: () => void;
  readonly replied: (reply: Reply) => void;
  readonly failed: (thrown: unknown) => void;
}

interface Reply {
  readonly message?: ModelCompletion["message"];
  readonly origin?: ModelOrigin;
  readonly usage?: ModelCompletion["usage"];
  readonly finishReason?: string;
  readonly finish_reason?: string | null;
}

interface Calling<Ctx> {
  readonly asked: Asked<Ctx>;
  readonly streams: boolean;
}

function openCall<Ctx>(scope: Scope, provider: ModelProvider<Ctx>, { asked, streams }: Calling<Ctx>): Call {
  const [state, agent] = asked;
  const run = scope.runs.find(state.runId);
  const ofRun = dueChat(run);
  const chat = ofRun ?? chatOutside(provider, asked);
  const { service } = provider;
  if (service !== undefined) chat.provider = providerName(service);
  const isFirst = chat.open === undefined;
  const attributes = isFirst
    ? { ...requestAttributes(agent, streams), ...(ofRun === undefined && { [JAF.purpose]: agent.name }) }
    : {};
  const open = openChat(scope, chat, { run, attributes });
  const { span } = open;
  if (scope.content && isFirst && span.isRecording()) span.setAttributes(inputAttributes(asked));
  const start = performance.now();
  const end = (status: "success" | "error", reply: Reply = {}): void => {
    if (ofRun !== undefined) return;
    const { usage, origin } = reply;
    const finishReason = reply.finishReason ?? reply.finish_reason ?? undefined;
    endChat(scope, chat, { run, end: { status, ...present({ usage, origin, finishReason }) } });
  };
  return {
    within: (work) => context.with(open.context, work),
    begun: () => {
      const seconds = (performance.now() - start) / 1000;
      span.setAttribute(GEN_AI.timeToFirstChunk, seconds);
      scope.instruments().timeToFirstChunk.record(seconds, chatLabels(chat));
    },
    replied: (reply) => {
      chat.responseModel = modelIn(reply);
      const id = reply.message?.id;
      if (id !== undefined) span.setAttribute(GEN_AI.responseId, id);
      if (scope.content && reply.message !== undefined && span.isRecording())
        span.setAttribute(GEN_AI.outputMessages, messagesJson([assistant(reply.message)]));
      end("success", reply);
    },
    failed: (thrown) => {
      chat.errorType = errorTypeOfThrown(thrown);
      end("error");
    },
  };
}

/**
 * Returns the model call of a step that this call of the model provider belongs to. The engine calls the model provider
 * directly after its event; all other calls are outside of the conversation, e.g. for a summary.
 */
function dueChat(run: RunRecord | undefined): ChatCall | undefined {
  const chat = run?.chat;
  if (chat === undefined || !chat.isDue) return undefined;
  chat.isDue = false;
  return chat;
}

const chatOutside = <Ctx>(provider: ModelProvider<Ctx>, [, agent, config]: Asked<Ctx>): ChatCall =>
  newChat(config.modelOverride ?? agent.modelConfig?.name ?? provider.defaultModel, undefined);

function requestAttributes<Ctx>(
  { modelConfig = {}, outputCodec }: ResolvedAgent<Ctx>,
  streams: boolean,
): Attributes {
  return set({
    [GEN_AI.temperature]: modelConfig.temperature,
    [GEN_AI.topP]: modelConfig.topP,
    [GEN_AI.maxTokens]: modelConfig.maxTokens,
    [GEN_AI.reasoningLevel]: modelConfig.reasoningEffort,
    [GEN_AI.outputType]: outputCodec === undefined ? undefined : "json",
    [GEN_AI.stream]: streams || undefined,
  });
}

function inputAttributes<Ctx>([state, agent]: Asked<Ctx>): Attributes {
  const tools = agent.tools?.map(({ schema: { name } }) => ({ type: "function", name }));
  return set({
    [GEN_AI.systemInstructions]: instructionsJson(agent.instructions(state)),
    [GEN_AI.inputMessages]: messagesJson(state.messages),
    [GEN_AI.toolDefinitions]: tools === undefined ? undefined : JSON.stringify(tools),
  });
}

/** Returns the name of the model that replied: the one in the reply, if it isn't the one that was asked for. */
function modelIn({ message, origin }: Reply): string | undefined {
  for (const fields of Object.values(message?.providerMetadata ?? {})) {
    const { model }: { readonly model?: unknown } = fields ?? {};
    if (typeof model === "string" && model !== "") return model;
  }
  return origin?.model;
}

const assistant = (message: NonNullable<ModelCompletion["message"]>): Message =>
  ({
    ...message,
    role: "assistant",
    content: message.content ?? null,
    tool_calls: message.tool_calls ?? [],
  }) as Message;
