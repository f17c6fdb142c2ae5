import { signedContent } from "./gemini-reply.ts";
import { checkToolParts, checkToolsTogether, waitingCalls } from "./gemini-tool-rules.ts";
import type { OpaqueValues, Owner } from "./opaque-values.ts";
import { isObject, type Json, type JsonObject, objectsOf, Refusal } from "./service.ts";

export interface Content {
  readonly role: "user" | "model";
  readonly parts: readonly JsonObject[];
}

interface SignatureRules {
  readonly owner: Owner;
  readonly opaque: Pick<OpaqueValues, "isGenuine">;
  /** Whether the model is of the third generation or later, which refuses steps without signatures. Default `true`. */
  readonly areRequired?: boolean;
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;
const DATA = [
  ...["text", "inlineData", "fileData", "functionCall", "functionResponse"],
  ...["executableCode", "codeExecutionResult", "toolCall", "toolResponse"],
];
const PART_FIELDS: ReadonlySet<string> = new Set([
  ...DATA,
  ...["thought", "thoughtSignature", "videoMetadata", "partMetadata", "mediaResolution"],
]);
const BODY_FIELDS: ReadonlySet<string> = new Set([
  ...["contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings"],
  ...["cachedContent", "serviceTier", "store", "model"],
]);
const FROM_ELSEWHERE = "skip_thought_signature_validator";

/** Returns the contents after the cached ones if they are valid. Throws a {@link Refusal}. */
export function checkContents(
  body: JsonObject,
  signatures: SignatureRules,
  kept: JsonObject = {},
): readonly Content[] {
  for (const field of Object.keys(body))
    if (!BODY_FIELDS.has(field))
      throw new Refusal(`Invalid JSON payload received. Unknown name "${field}": Cannot find field.`);
  const tools = kept["tools"] ?? body["tools"];
  checkDeclarations(tools);
  checkToolsTogether(tools, kept["toolConfig"] ?? body["toolConfig"]);
  const own = objectsOf(body["contents"], "contents").map(readContent);
  if (own.length === 0) throw new Refusal("GenerateContentRequest.contents: contents is not specified");
  const contents = joined([...objectsOf(kept["contents"] ?? [], "contents").map(readContent), ...own]);
  if (contents.at(-1)?.role !== "user")
    throw new Refusal(
      "Please ensure that single turn requests end with a user role or the role field is empty.",
    );
  for (const index of contents.keys()) {
    checkOrder(contents, index);
    checkResponses(contents, index);
  }
  for (const [index, content] of contents.entries()) checkToolParts(content, contents[index - 1], tools);
  checkSignatures(contents, signatures);
  return contents;
}

function checkDeclarations(tools: Json | undefined): void {
  for (const tool of objectsOf(tools ?? [], "tools")) {
    for (const { name } of objectsOf(tool["functionDeclarations"] ?? [], "functionDeclarations")) {
      if (typeof name !== "string" || !NAME.test(name))
        throw new Refusal(
          "GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name.",
        );
    }
  }
}

function readContent({ role = "user", parts }: JsonObject, index: number): Content {
  if (role !== "user" && role !== "model") throw new Refusal("Please use a valid role: user, model.");
  const read = objectsOf(parts ?? [], `contents[${index}].parts`);
  if (read.length === 0)
    throw new Refusal(`* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`);
  for (const [place, part] of read.entries()) {
    if (DATA.filter((field) => part[field] !== undefined).length !== 1)
      throw new Refusal(
        `* GenerateContentRequest.contents[${index}].parts[${place}].data: required oneof field 'data' must have one initialized field`,
      );
    const unknown = Object.keys(part).find((field) => !PART_FIELDS.has(field));
    if (unknown !== undefined)
      throw new Refusal(
        `Invalid JSON payload received. Unknown name "${unknown}" at 'contents[${index}].parts[${place}]': Cannot find field.`,
      );
    checkStruct(part["functionCall"], "args");
    checkStruct(part["functionResponse"], "response");
  }
  return { role, parts: wholeTexts(read) };
}

/** A cached prompt may end with the role that the request begins with. */
function joined(contents: readonly Content[]): readonly Content[] {
  const list: Content[] = [];
  for (const content of contents) {
    const last = list.at(-1);
    if (last?.role === "user" && content.role === "user")
      list[list.length - 1] = { role: "user", parts: [...last.parts, ...content.parts] };
    else list.push(content);
  }
  return list;
}

/** A text that was streamed in pieces, with a signature on the last, may come back joined or in these pieces. */
export function wholeTexts(parts: readonly JsonObject[]): readonly JsonObject[] {
  const whole: JsonObject[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    const isMore =
      typeof last?.["text"] === "string" &&
      typeof part["text"] === "string" &&
      last["thoughtSignature"] === undefined &&
      last["thought"] === part["thought"];
    if (isMore) whole[whole.length - 1] = { ...part, text: `${last?.["text"]}${part["text"]}` };
    else whole.push(part);
  }
  return whole;
}

function checkStruct(holder: Json | undefined, field: string): void {
  if (isObject(holder) && holder[field] !== undefined && !isObject(holder[field]))
    throw new Refusal(`Invalid value at '${field}' (type.googleapis.com/google.protobuf.Struct)`);
}

/** The calls that the next content answers. */
const callsOf = (content: Content | undefined): readonly JsonObject[] =>
  waitingCalls(content?.parts ?? []).flatMap(({ functionCall: call }) => (isObject(call) ? [call] : []));

/** The results that the user sends. Those of Google's MCP servers stand in the model's own content. */
const responsesOf = (content: Content | undefined): readonly JsonObject[] =>
  (content?.role === "user" ? content.parts : []).flatMap(({ functionResponse: response }) =>
    isObject(response) ? [response] : [],
  );

function checkOrder(contents: readonly Content[], index: number): void {
  const content = contents[index];
  const before = contents[index - 1];
  if (callsOf(content).length > 0 && before?.role !== "user")
    throw new Refusal(
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    );
  if (content?.role === "model" && before?.role === "model")
    throw new Refusal("Please ensure that multiturn requests alternate between user and model.");
  if (responsesOf(content).length > 0 && callsOf(before).length === 0)
    throw new Refusal(
      "Please ensure that function response turn comes immediately after a function call turn.",
    );
}

function checkResponses(contents: readonly Content[], index: number): void {
  const calls = callsOf(contents[index]);
  if (calls.length === 0) return;
  const responses = responsesOf(contents[index + 1]);
  // Calls without ids, from older models, are answered in their order.
  const answered = (call: JsonObject, place: number) =>
    call["id"] === undefined
      ? responses[place]?.["name"] === call["name"] && responses[place]?.["id"] === undefined
      : responses.filter(({ id, name }) => id === call["id"] && name === call["name"]).length === 1;
  if (responses.length !== calls.length || !calls.every(answered))
    throw new Refusal(
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    );
}

function checkSignatures(
  contents: readonly Content[],
  { owner, opaque, areRequired = true }: SignatureRules,
): void {
  const turnStart = contents.findLastIndex(
    (content) => content.role === "user" && responsesOf(content).length === 0,
  );
  for (const [index, content] of contents.entries()) {
    for (const part of content.parts) {
      const { thoughtSignature: signature } = part;
      if (signature === undefined || signature === FROM_ELSEWHERE) continue;
      if (typeof signature !== "string" || !opaque.isGenuine(owner, signedContent(part), signature))
        throw new Refusal("Corrupted thought signature.");
    }
    if (!areRequired) continue;
    const [first] = waitingCalls(content.parts);
    if (index < turnStart || first === undefined) continue;
    const position = content.parts.indexOf(first);
    const isSigned = content.parts
      .slice(0, position + 1)
      .some((part) => part["functionCall"] !== undefined && part["thoughtSignature"] !== undefined);
    if (isSigned) continue;
    const call = first["functionCall"];
    throw new Refusal(
      "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, " +
        "and missing thought_signature may lead to degraded model performance. Additional data, function call " +
        `\`default_api:${isObject(call) ? call["name"] : ""}\`, position ${position + 1}.`,
    );
  }
}
