import type { RunScope } from "../engine/scope.ts";

/** The text of a streamed reply on its way to those who watch. */
export interface ReplyText {
  readonly add: (text: string) => void;
  /** Whether any of it was told. */
  readonly isShown: () => boolean;
  /** The reply counts: what was held back is told. */
  readonly release: () => void;
  /** The reply doesn't count: what was told is to be taken back. */
  readonly retract: () => void;
}

/** Held back where output guardrails have yet to judge it, unless the run's configuration says otherwise. */
export function openReplyText<Ctx>({ emit, config }: RunScope<Ctx>, agentName: string): ReplyText {
  const { finalOutputGuardrails: judges = [], unjudgedText } = config;
  const held: string[] | undefined = judges.length > 0 && unjudgedText !== "retract" ? [] : undefined;
  let isShown = false;
  const tell = (text: string): void => {
    isShown = true;
    emit?.({ type: "llm_delta", data: { agentName, text } });
  };
  return {
    add: (text) => void (held === undefined ? tell(text) : held.push(text)),
    isShown: () => isShown,
    release: () => held?.splice(0).forEach(tell),
    retract: () => {
      if (isShown) emit?.({ type: "llm_retract", data: { agentName } });
    },
  };
}
