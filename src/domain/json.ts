/** What crosses a boundary: plain JSON, with no Map, Set, class, Date or undefined (a Map arrives as `{}`). */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}
