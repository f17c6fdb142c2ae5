import { signedContent } from "./gemini-reply.ts";
import type { OpaqueValues, Owner } from "./opaque-values.ts";
import { isObject, type Json, type JsonObject, objectsOf, Refusal } from "./service.ts";

export interface Content {
  readonly role: "user" | "model";
  readonly parts: readonly JsonObject[];
}

interface SignatureRules {
  readonly owner: Owner;
  readonly opaque: OpaqueValues;
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;
const DATA = ["text", "inlineData", "fileData", "functionCall", "functionResponse"];
const FROM_ELSEWHERE = "skip_thought_signature_validator";

/** The contents, if they hold together. Throws a {@link Refusal}. */
export function checkContents(body: JsonObject, signatures: SignatureRules): readonly Content[] {
  checkDeclarations(body["tools"]);
  const contents = objectsOf(body["contents"], "contents").map(readContent);
  if (contents.length === 0) throw new Refusal("GenerateContentRequest.contents: contents is not specified");
  if (contents.at(-1)?.role !== "user")
    throw new Refusal(
      "Please ensure that single turn requests end with a user role or the role field is empty.",
    );
  for (const index of contents.keys()) {
    checkOrder(contents, index);
    checkResponses(contents, index);
  }
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
  }
  return { role, parts: read };
}

const callsOf = (content: Content | undefined): readonly JsonObject[] =>
  (content?.parts ?? []).flatMap(({ functionCall: call }) => (isObject(call) ? [call] : []));

const responsesOf = (content: Content | undefined): readonly JsonObject[] =>
  (content?.parts ?? []).flatMap(({ functionResponse: response }) => (isObject(response) ? [response] : []));

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
  const answered = (call: JsonObject) =>
    responses.filter(({ id, name }) => id === call["id"] && name === call["name"]).length === 1;
  if (responses.length !== calls.length || !calls.every(answered))
    throw new Refusal(
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    );
}

function checkSignatures(contents: readonly Content[], { owner, opaque }: SignatureRules): void {
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
    const position = content.parts.findIndex(({ functionCall: call }) => call !== undefined);
    const first = content.parts[position];
    if (index < turnStart || first === undefined || first["thoughtSignature"] !== undefined) continue;
    const call = first["functionCall"];
    throw new Refusal(
      "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, " +
        "and missing thought_signature may lead to degraded model performance. Additional data, function call " +
        `\`default_api:${isObject(call) ? call["name"] : ""}\`, position ${position + 1}.`,
    );
  }
}
