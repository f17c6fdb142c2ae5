import type { Message, RichToolCall } from "@jaf/memory";
import type { RunScope } from "../engine/scope.ts";
import type { TimeLimit } from "../engine/time-limit.ts";
import { lastSaid, positionOf } from "../middleware/said.ts";
import type { ToolCallInfo, ToolCallTurn } from "./tool.ts";

interface CallSource {
  // biome-ignore lint/suspicious/noExplicitAny: runs differ in their contexts
  readonly scope: RunScope<any>;
  readonly agentName: string;
  readonly callScope: string;
  readonly messages: readonly Message[];
  /** Of the execution. */
  readonly limit: Pick<TimeLimit, "signal">;
}

/**
 * What a tool is told of its call. Its `signal` and its `turn` are made when they are first read, as few tools ask for them
 * and a signal alone costs more than all the rest of a call; a copy by `{ ...call }` has them, too. A proxy for this:
 * accessors of each object's own would cost six times as much.
 */
export const callInfo = ({ id }: RichToolCall, source: CallSource): ToolCallInfo =>
  new Proxy<ToolCallInfo>(
    {
      toolCallId: id,
      idempotencyKey: `${source.callScope}:${id}`,
      signal: UNREAD as never,
      runId: source.scope.runId,
      traceId: source.scope.traceId,
      agentName: source.agentName,
      turn: UNREAD as never,
    },
    new MadeWhenRead(source),
  );

/** What Node prints for a field that nobody has read: it looks behind the proxy. */
const UNREAD: unknown = { [Symbol.for("nodejs.util.inspect.custom")]: () => "[Getter]" };

type Info = { -readonly [Field in keyof ToolCallInfo]: ToolCallInfo[Field] };

/** Everything that reads or changes a field, however it does, comes by way of these. */
class MadeWhenRead implements ProxyHandler<Info> {
  readonly #source: CallSource;

  constructor(source: CallSource) {
    this.#source = source;
  }

  get(info: Info, field: keyof Info): unknown {
    this.#make(info, field);
    return info[field];
  }

  getOwnPropertyDescriptor(info: Info, field: keyof Info): PropertyDescriptor | undefined {
    this.#make(info, field);
    return Reflect.getOwnPropertyDescriptor(info, field);
  }

  defineProperty(info: Info, field: keyof Info, descriptor: PropertyDescriptor): boolean {
    this.#make(info, field);
    return Reflect.defineProperty(info, field, descriptor);
  }

  #make(info: Info, field: keyof Info): void {
    if (info[field] !== UNREAD) return;
    if (field === "signal") info.signal = this.#source.limit.signal;
    if (field === "turn") info.turn = turnOf(this.#source);
  }
}

function turnOf({ scope: { journal, config, startedAt }, messages }: CallSource): ToolCallTurn {
  const said = lastSaid(messages);
  return Object.freeze({
    messages: Object.freeze([...messages]),
    said: Object.freeze(said),
    position: journal && positionOf(journal, said),
    conversationId: config.conversationId,
    startedAt,
  });
}
