import type { StoreSpec } from "../store/spec.ts";
import { extraction } from "./extraction.ts";
import { identity } from "./identity.ts";
import { lying } from "./lies.ts";
import { records } from "./records.ts";
import { rendering } from "./rendering.ts";
import { trust } from "./trust.ts";
import { volume } from "./volume.ts";

/** The twenty attacks on a user memory, with numbers in their titles, and an extractor that tries all of them. */
export const attackSpecs: readonly StoreSpec[] = [
  rendering,
  identity,
  extraction,
  trust,
  volume,
  records,
  lying,
];
