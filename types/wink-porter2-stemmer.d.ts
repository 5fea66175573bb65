/** The package ships no types: one word in lower case to its Porter2 stem. */
declare module 'wink-porter2-stemmer' {
  export default function stem(word: string): string;
}
