import * as z from "zod";

export const modelProviderSchema = z.custom<unknown>(
  (value) => typeof (value as { getCompletion?: unknown } | null | undefined)?.getCompletion === "function",
  { error: "expected a model provider with getCompletion()" },
);

const name = z.string().min(1);
const model = z.union([name, z.object({ model: name, modelProvider: modelProviderSchema.optional() })], {
  error: "expected a name, or { model, modelProvider }",
});

export const fallbackSchema = z.strictObject(
  { models: z.array(model), statuses: z.array(z.int().min(100).max(599)).optional() },
  { error: "expected an object of models and statuses" },
);
