import type { StoreSpec } from "../store/spec.ts";
import { extraction } from "./extraction.ts";
import { identity } from "./identity.ts";
import { lying } from "./lies.ts";
import { records } from "./records.ts";
import { rendering } from "./rendering.ts";
import { trust } from "./trust.ts";
import { volume } from "./volume.ts";

/**
 * Twenty attacks on a user memory, with their numbers in the titles of the rules. A further rule has an extractor that
 * proposes lies in 200 turns.
 */
export const attackSpecs: readonly StoreSpec[] = [
  rendering,
  identity,
  extraction,
  trust,
  volume,
  records,
  lying,
];
