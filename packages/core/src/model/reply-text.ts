import type { ContentPart, Message, RichMessage } from "@jaf/memory";
import { partText } from "@jaf/memory/engine";
import type { RunScope } from "../engine/scope.ts";
import type { Emit } from "../events/emitter.ts";
import { frozenCopy } from "../immutable/copy.ts";

/** A streamed reply on its way to those who watch: its text, what the model thinks, and its other parts. */
export interface ReplyText {
  readonly add: (text: string) => void;
  readonly addReasoning: (text: string) => void;
  readonly addPart: (part: ContentPart) => void;
  /** Whether any of it was told. */
  readonly isShown: () => boolean;
  /**
   * The reply counts: what was held back is told. `judged`: what the output guardrails have let pass; where its text is
   * another than that of the pieces, it is told in their place.
   */
  readonly release: (judged?: Message) => void;
  /** The reply doesn't count: what was told is to be taken back. */
  readonly retract: () => void;
}

type Told = Parameters<Emit>[0];

/** Of a reply that comes as a whole. */
const nothingStreamed: ReplyText = {
  add: () => undefined,
  addReasoning: () => undefined,
  addPart: () => undefined,
  isShown: () => false,
  release: () => undefined,
  retract: () => undefined,
};

/** Held back where output guardrails have yet to judge it, unless the run's configuration says otherwise. */
export function openReplyText<Ctx>({ emit, config, streaming }: RunScope<Ctx>, agentName: string): ReplyText {
  if (!streaming) return nothingStreamed;
  const { finalOutputGuardrails: judges = [], unjudgedText } = config;
  const held: Told[] | undefined = judges.length > 0 && unjudgedText !== "retract" ? [] : undefined;
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
      const text = judges.length === 0 || judged === undefined || said === "" ? said : spokenIn(judged);
      if (text === said) return pieces.forEach(tell);
      retract();
      if (text !== "") tell({ type: "llm_delta", data: { agentName, text } });
      for (const piece of pieces) if (piece.type !== "llm_delta") tell(piece);
    },
    retract,
  };
}

/** As its pieces say it: without breaks between the parts. */
function spokenIn({ content }: RichMessage): string {
  if (typeof content === "string" || content === null) return content ?? "";
  return content.map((part) => partText(part) ?? "").join("");
}
