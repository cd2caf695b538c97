import { contentWords } from '../../../../../kb/words/content-words.js'

/** Words of commit messages that say that something was edited, and not what it means now. */
const unspecific = new Set(
  [
    // Edits without a direction.
    'update adjust change edit fix hotfix tweak improve improvement enhance rewrite rewrote rewritten refactor simplify rework revise touch',
    'modify correct correction amend clean cleanup format reformat lint tidy move rename reorganize restructure polish',
    'apply address resolve implement add use using make try test work done wip save commit push sync merge revert bump',
    'initial init start finish finalize review suggestion comment feedback request pr ticket issue bug typo todo task',
    // What is edited.
    'query sql file snippet metric yaml yml definition kb knowledge base model code logic script template line block',
    'cte subquery join clause alias column table view schema database db warehouse name naming case keyword comma quote',
    'whitespace indent indentation style layout structure version release document documentation doc docs readme note',
    'folder directory path repo repository config configuration setting parameter field function syntax expression',
    // Why it is edited, apart from its meaning.
    'performance perf speed fast faster slow slower optimize optimization readable readability consistency consistent',
    'maintainability maintenance automatic auto easy easier short shorter simple simpler clear clearer nice better cleaner',
    'lint linter sqlfluff formatter pre commit hook ci cd build pipeline job nightly run deploy deployment prod production',
    'staging dev main master branch git postgres duckdb snowflake bigquery trino spark dbt looker tableau dashboard deck',
    'dashboards timeout error crash warning fail failure failing broken break upgrade port compatibility deprecated',
    // Fillers.
    'minor small little big major some several various misc miscellaneous stuff thing things bit more again another new old',
    'other first second last final quick temporary temp etc via per by so up now as well ok',
    'no functional intended intend behaviour behavior also just chore feat style ui read write run use look',
  ]
    .join(' ')
    .split(' '),
)

/**
 * Returns the words of a message that say something about what a metric means: none for "Update mrr.sql (#77)",
 * `list` and `price` for "Use list price".
 */
export function specificWords(message: string): string[] {
  const prose = message
    .replaceAll(/\b[\w./-]+\.(?:sql|ya?ml|md|json)\b/giu, ' ')
    .replaceAll(/#\d+|\b[A-Z][A-Z0-9]+-\d+\b|\bhttps?:\S+|\b[0-9a-f]{7,40}\b/gu, ' ')
  return contentWords(prose).filter((word) => /\p{L}{2}/u.test(word) && !isUnspecific(word))
}

/** Also in the plural and in other forms: "updates", "updated", "updating". */
function isUnspecific(word: string): boolean {
  const forms = [word, word.replace(/e?s$/u, ''), word.replace(/s$/u, ''), word.replace(/ies$/u, 'y')]
  const roots = [word.replace(/(?:ed|ing)$/u, ''), word.replace(/d$/u, ''), word.replace(/ing$/u, 'e')]
  const doubled = word.replace(/([b-df-hj-np-tv-z])\1(?:ed|ing)$/u, '$1')
  return [...forms, ...roots, word.replace(/ied$/u, 'y'), doubled].some((form) => unspecific.has(form))
}
