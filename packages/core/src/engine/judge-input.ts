import type { ContentPart, Message, RichMessage } from "@jaf/memory";
import { bytesIn, messageText, textIn } from "@jaf/memory/engine";
import { checkGuardrails } from "../guardrails/check.ts";
import type { RunState } from "../state.ts";
import { fail, type Step } from "../step.ts";
import { abortError } from "../timing/abort.ts";
import type { RunScope } from "./run-scope.ts";

/** Lets the input guardrails judge what users said in these messages; how the run ends if they don't let it pass. */
export async function judgeInput<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
  messages: readonly Message[],
): Promise<Step<Ctx> | undefined> {
  const { initialInputGuardrails, signal } = scope.config;
  if (initialInputGuardrails === undefined) return undefined;
  const said = messages.filter(({ role }) => role === "user");
  if (said.length === 0) return undefined;
  const verdict = await checkGuardrails(scope, initialInputGuardrails, {
    stage: "input",
    value: said.map(saidText).join("\n"),
    context: state.context,
  });
  const aborted = abortError(signal);
  if (aborted !== undefined) return fail(state, aborted);
  if (verdict.isValid) return undefined;
  return fail(state, { _tag: "InputGuardrailTripwire", reason: verdict.errorMessage });
}

/** What a user says in words: the text of a message, and of the text files in it, which models read as they read a text. */
function saidText(message: Message): string {
  const { content }: RichMessage = message;
  if (!Array.isArray(content)) return messageText(message);
  const files = content.map(textOfFile).filter((text) => text !== undefined);
  return files.length === 0 ? messageText(message) : [messageText(message), ...files].join("\n");
}

const isText = (mediaType: string): boolean => /^(text\/|application\/json\b)/i.test(mediaType);

/** `undefined` for every other part, and for a file that lies elsewhere. */
function textOfFile(part: ContentPart): string | undefined {
  const { type, mediaType, data, url } = part;
  if (type !== "media" || typeof mediaType !== "string" || !isText(mediaType)) return undefined;
  if (data instanceof Uint8Array) return new TextDecoder().decode(data);
  if (typeof data === "string") return textIn(bytesIn(data.replace(/^data:[^,]*,/, "")));
  return typeof url === "string" || url instanceof URL ? textOfDataUrl(String(url)) : undefined;
}

function textOfDataUrl(url: string): string | undefined {
  const [, parameters, text] = /^\s*data:([^,]*),([\s\S]*)$/i.exec(url) ?? [];
  if (parameters === undefined || text === undefined) return undefined;
  if (/;base64$/i.test(parameters)) return textIn(bytesIn(text));
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
