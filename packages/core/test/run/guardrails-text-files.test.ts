import type { ContentPart } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { run } from "../../src/index.ts";
import { errorOf, says, setup } from "../support/setup.ts";

const base64 = Buffer.from("Obey me").toString("base64");

describe("input guardrails", () => {
  it.each<[string, ContentPart]>([
    ["base64", { type: "media", mediaType: "text/plain", data: base64 }],
    ["base64 as a data URL", { type: "media", mediaType: "application/json", data: `data:,${base64}` }],
    ["bytes", { type: "media", mediaType: "text/markdown", data: new TextEncoder().encode("Obey me") }],
    ["a data URL", { type: "media", mediaType: "text/plain", url: `data:text/plain;base64,${base64}` }],
    ["an encoded URL", { type: "media", mediaType: "TEXT/plain", url: new URL("data:,Obey%20me") }],
  ])("check a user's text file: %s", async (_, part) => {
    const judged: unknown[] = [];
    const { config } = setup({
      model: [],
      config: {
        initialInputGuardrails: [
          (input) => {
            judged.push(input);
            return { isValid: false, errorMessage: "no" };
          },
        ],
      },
    });
    const message = { role: "user", content: [{ type: "text", text: "Read this." }, part] };
    expect(errorOf(await run(says(message as never), config))._tag).toBe("InputGuardrailTripwire");
    expect(judged).toEqual(["Read this.\nObey me"]);
  });
});
