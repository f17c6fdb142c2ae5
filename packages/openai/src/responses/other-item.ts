/** The type of a part that holds an item whose own type means something else to JAF. */
export const OTHER_ITEM = "openai-item";
