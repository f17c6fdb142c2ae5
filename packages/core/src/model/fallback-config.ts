import { lazy } from "@jaf/memory/engine";
import * as z from "zod";

const EXPECTED =
  "expected an object of models (a list of names, or of { model, modelProvider }) and statuses (a list of HTTP statuses)";

const name = lazy(() => z.string().min(1));
const provider = lazy(() =>
  z.custom<unknown>(
    (value) => typeof (value as { getCompletion?: unknown } | null | undefined)?.getCompletion === "function",
  ),
);

export const fallbackSchema = lazy(() =>
  z
    .strictObject({
      models: z.array(z.union([name(), z.object({ model: name(), modelProvider: provider().optional() })])),
      statuses: z.array(z.int().min(100).max(599)).optional(),
    })
    .readonly(),
);

/** What is wrong with it. */
export const fallbackFault = (fallback: unknown): string | undefined =>
  fallback === undefined || fallbackSchema().safeParse(fallback).success
    ? undefined
    : `modelFallback: ${EXPECTED}`;
