import type { ModelStreamChunk, ModelToolCall } from "@jaf/core";
import { type Fields, fieldsOf, listOf, parseJson } from "@jaf/model-http";
import { errors, GoogleError } from "../errors.ts";
import { asMetadata, textIn } from "../parts.ts";
import type { GenerateRequest } from "../request/request.ts";
import { createStreamedArguments, type StreamedArguments } from "./streamed-arguments.ts";

/** A call of a reply. */
export interface Call {
  /** Gemini's id. Older models send none: then it is JAF's own. */
  readonly id: string;
  /** The call's part, with the arguments in one piece. */
  readonly sent: Fields;
  /** The call for the agent. `undefined`: Google answers the call itself, in the same reply. */
  readonly call: ModelToolCall | undefined;
}

/** The function calls of a reply: those for the agent, and those that Google answers itself, e.g. by an MCP server. */
interface Calls {
  /** Adds a `functionCall` part. `begun` is the call if the part doesn't continue one. */
  readonly add: (part: Fields) => {
    readonly begun: Call | undefined;
    readonly chunks: readonly ModelStreamChunk[];
  };
  /** Returns the call that a `functionResponse` of the same reply answers; `undefined` if there is none. */
  readonly answer: (response: Fields) => Call | undefined;
  /** Returns the chunks of calls that weren't told yet. Throws a `GoogleError` if a call isn't complete or can't be answered. */
  readonly end: (reason: string) => readonly ModelStreamChunk[];
  /** The number of calls for the agent. */
  readonly count: () => number;
}

interface OpenCall extends Call {
  readonly given: string | undefined;
  readonly wireName: string;
  /** The agent's name of the tool. */
  readonly name: string;
  sent: Fields;
  call: ModelToolCall | undefined;
  readonly streamed: StreamedArguments;
  /** The JSON text of the arguments so far. */
  text: string;
  willContinue: boolean;
  /** The call's number among those that were told. */
  told: number | undefined;
}

export function createCalls(request: GenerateRequest): Calls {
  const { origin, names, textFunctions, answeredByAgent } = request;
  const calls: OpenCall[] = [];
  let told = 0;

  function open(given: string | undefined, wireName: string): OpenCall {
    const call: OpenCall = {
      ...{ given, wireName, name: names.toOwn(wireName), id: given ?? newId(), sent: {}, call: undefined },
      ...{ streamed: createStreamedArguments(), text: "", willContinue: true, told: undefined },
    };
    calls.push(call);
    return call;
  }

  const tell = (call: OpenCall): ModelStreamChunk => {
    call.told = told++;
    const { id, name, text } = call;
    const input = call.call?.custom?.input ?? text;
    return { type: "tool_call_delta", index: call.told, id, name, arguments: input };
  };

  function chunksOf(call: OpenCall, piece: string): readonly ModelStreamChunk[] {
    if (call.told !== undefined)
      return piece === "" ? [] : [{ type: "tool_call_delta", index: call.told, arguments: piece }];
    // A tool's text input is known once the call is complete.
    const isReady = !(call.willContinue && textFunctions.has(call.name));
    return isReady && answeredByAgent.has(call.name) ? [tell(call)] : [];
  }

  return {
    add: (part) => {
      const { functionCall, ...further } = part;
      const { args: sent, partialArgs, willContinue, ...fields } = fieldsOf(functionCall);
      const args = typeof sent === "string" ? parseJson(sent) : sent;
      const [given, wireName] = [textIn(fields["id"]), textIn(fields["name"])];
      // Further pieces of a call repeat its id and name, or leave them out.
      const continued = calls.findLast(
        (call) =>
          call.willContinue &&
          call.given === (given ?? call.given) &&
          call.wireName === (wireName ?? call.wireName),
      );
      if (continued === undefined && (given ?? wireName ?? args ?? partialArgs) == null) {
        // The end of a call may be told twice, the second time with its signature.
        const last = calls.at(-1);
        if (last?.call !== undefined) {
          last.sent = { ...last.sent, ...further };
          last.call = callOf(last, request);
        }
        return { begun: undefined, chunks: [] };
      }
      const call = continued ?? open(given, wireName ?? "");
      const added = call.streamed.add({ args, partialArgs });
      if (added === undefined)
        throw errors.malformed(origin.provider, "pieces of a call that don't fit together");
      call.willContinue = (willContinue ?? listOf(partialArgs).some(isContinued)) === true;
      const piece = call.willContinue ? added : added + call.streamed.end();
      call.text += piece;
      const isWhole = continued === undefined && partialArgs === undefined && willContinue === undefined;
      const known = { ...fieldsOf(call.sent["functionCall"]), ...fields };
      const joined = call.willContinue ? known : { ...known, args: parseJson(call.text) };
      call.sent = isWhole ? part : { ...call.sent, ...further, functionCall: joined };
      call.call = callOf(call, request);
      return { begun: continued === undefined ? call : undefined, chunks: chunksOf(call, piece) };
    },
    answer: (response) => {
      const [given, name] = [textIn(response["id"]), textIn(response["name"])];
      const waiting = calls.filter(({ call }) => call !== undefined);
      const answered =
        waiting.find((call) => given !== undefined && call.given === given) ??
        waiting.find((call) => call.wireName === (name ?? call.wireName));
      if (answered !== undefined) answered.call = undefined;
      return answered;
    },
    end: (reason) => {
      const waiting = calls.filter(({ call }) => call !== undefined);
      if (waiting.some(({ willContinue }) => willContinue))
        throw new GoogleError(
          "cut",
          `${origin.provider} ended its reply in the middle of a call (${reason})`,
          {
            isRetryable: reason === "STOP",
          },
        );
      for (const { name, text } of waiting)
        request.assertAnswerable({ name, args: fieldsOf(parseJson(text)) });
      return waiting.filter((call) => call.told === undefined).map(tell);
    },
    count: () => calls.filter(({ call }) => call !== undefined).length,
  };
}

function callOf(
  { sent, given, id, name, text }: OpenCall,
  { textFunctions }: GenerateRequest,
): ModelToolCall {
  const { functionCall, ...further } = sent;
  const { id: _, name: __, args, ...beside } = fieldsOf(functionCall);
  const metadata = asMetadata({
    ...further,
    ...(Object.keys(beside).length === 0 ? {} : { functionCall: beside }),
    ...(given === undefined ? { withoutId: true } : {}),
  });
  const input = fieldsOf(args)["input"];
  if (textFunctions.has(name) && typeof input === "string")
    return { id, type: "custom", custom: { name, input }, ...metadata };
  return { id, type: "function", function: { name, arguments: text }, ...metadata };
}

/** Whether more of an argument follows. */
const isContinued = (piece: unknown): boolean => fieldsOf(piece)["willContinue"] === true;

/** The id of a call without one is JAF's own, and isn't sent back. */
export const newId = (): string => `call_${crypto.randomUUID().replaceAll("-", "")}`;
