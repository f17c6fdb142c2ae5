import type { ContentPart, Message, RichMessage } from "@jaf/memory";
import { partText } from "@jaf/memory/internal";
import type { Emit } from "../events.ts";
import { frozenCopy } from "../immutable/copy.ts";
import type { RunScope } from "../run-scope.ts";

/** Emits the pieces of a streamed reply as events: its text, its reasoning, and its other parts. */
export interface ReplyText {
  readonly add: (text: string) => void;
  readonly addReasoning: (text: string) => void;
  readonly addPart: (part: ContentPart) => void;
  /** Whether any piece was emitted. */
  readonly isShown: () => boolean;
  /**
   * The reply counts: emits the pieces that were held. `judged`: the message that has passed the output guardrails; if its text
   * differs from that of the pieces, it is emitted instead of them.
   */
  readonly release: (judged?: Message) => void;
  /** The reply doesn't count: emits `llm_retract` if pieces were emitted. */
  readonly retract: () => void;
}

type Told = Parameters<Emit>[0];

/** For a reply that isn't streamed. */
const nothingStreamed: ReplyText = {
  add: () => undefined,
  addReasoning: () => undefined,
  addPart: () => undefined,
  isShown: () => false,
  release: () => undefined,
  retract: () => undefined,
};

/** Holds the pieces where output guardrails have yet to judge the reply, unless `RunConfig.unguardedText` is `"retract"`. */
export function openReplyText<Ctx>({ emit, config, streaming }: RunScope<Ctx>, agentName: string): ReplyText {
  if (!streaming) return nothingStreamed;
  const { finalOutputGuardrails: judges = [], unguardedText } = config;
  const held: Told[] | undefined = judges.length > 0 && unguardedText !== "retract" ? [] : undefined;
  let isShown = false;
  let said = "";
  const tell = (event: Told): void => {
    isShown = true;
    emit?.(event);
  };
  const retract = (): void => {
    if (isShown) emit?.({ type: "llm_retract", data: { agentName } });
  };
  const add = (event: Told): void => void (held === undefined ? tell(event) : held.push(event));
  return {
    add: (text) => {
      said += text;
      add({ type: "llm_delta", data: { agentName, text } });
    },
    addReasoning: (text) => add({ type: "llm_reasoning_delta", data: { agentName, text } }),
    // A copy: the part itself becomes part of the message.
    addPart: (part) => add({ type: "llm_part", data: { agentName, part: frozenCopy(part) } }),
    isShown: () => isShown,
    release: (judged) => {
      const pieces = held?.splice(0) ?? [];
      const text = judges.length === 0 || judged === undefined || said === "" ? said : streamedTextOf(judged);
      if (text === said) return pieces.forEach(tell);
      retract();
      if (text !== "") tell({ type: "llm_delta", data: { agentName, text } });
      for (const piece of pieces) if (piece.type !== "llm_delta") tell(piece);
    },
    retract,
  };
}

/** The text as the pieces have it, without breaks between parts. */
function streamedTextOf({ content }: RichMessage): string {
  if (typeof content === "string" || content === null) return content ?? "";
  return content.map((part) => partText(part) ?? "").join("");
}
