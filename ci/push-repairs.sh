#!/usr/bin/env bash
# Commits the repairs that `autotest --no-commit` left in the working tree to one branch, and keeps one pull request (GitHub) or merge
# request (GitLab) for them up to date, with the report as its text. Nothing to repair: nothing is pushed.
set -euo pipefail
branch=${AUTOTEST_BRANCH:-autotest/repairs}
base=${AUTOTEST_DEFAULT_BRANCH:-${CI_DEFAULT_BRANCH:-main}}
report=${1:-reports/report.md}
json=${2:-reports/report.json}

# The files of accepted repairs alone: whatever else changed in the working tree is nobody's repair.
files=$(node -e '
  const { repairs } = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))
  const paths = repairs.filter(({ outcome }) => outcome === "accepted").flatMap(({ edits }) => edits.map(({ file }) => file))
  process.stdout.write([...new Set(paths)].join("\n"))' "$json")
if [ -z "$files" ]; then
  echo 'no repairs: nothing is pushed'
  exit 0
fi
title=$(node -e '
  const { repairs } = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))
  const kept = repairs.filter(({ outcome }) => outcome === "accepted")
  const rest = kept.length > 1 ? ` and ${kept.length - 1} more` : ""
  // A model may have written it: without these characters it is no command, mention or reference of a forge.
  const plain = kept[0].title.replace(/[^\p{L}\p{N} .,_=()-]+/gu, " ").replace(/-(?=\d)/g, " ").replace(/ +/g, " ")
  process.stdout.write(`Repair the knowledge: ${plain}${rest}`.slice(0, 120))' "$json")

git config user.name >/dev/null || git config user.name autotest
git config user.email >/dev/null || git config user.email autotest@users.noreply.github.com
git checkout --quiet -B "$branch"
while IFS= read -r file; do git add -- "$file"; done <<<"$files"
if git diff --cached --quiet; then
  echo 'the repairs are in the last commit already'
  exit 0
fi
git commit --quiet -m "$title"
# Somebody's own commits on the branch are not overwritten.
git fetch --quiet origin "$branch" 2>/dev/null && expected=$(git rev-parse FETCH_HEAD) || expected=
if [ -n "$expected" ] && git log --format=%ae "origin/$base..$expected" 2>/dev/null | grep -qvFx "$(git config user.email)"; then
  echo "the branch $branch has commits of others: nothing is pushed" >&2
  exit 1
fi
options=()
if [ -n "${GITLAB_CI:-}" ]; then
  options=(-o merge_request.create -o "merge_request.target=$base" -o "merge_request.title=$title" -o "merge_request.description=$(head -c 60000 "$report" | node -e '
    process.stdout.write(require("fs").readFileSync(0, "utf8").replaceAll("\n", "<br>"))')")
fi
git push --quiet "--force-with-lease=refs/heads/$branch:$expected" ${options[@]+"${options[@]}"} origin "HEAD:refs/heads/$branch"
if [ -z "${GITLAB_CI:-}" ]; then
  head -c 60000 "$report" >reports/pull-request.md
  number=$(gh pr list --head "$branch" --base "$base" --state open --json number --jq '.[0].number // empty')
  if [ -n "$number" ]; then
    gh pr edit "$number" --title "$title" --body-file reports/pull-request.md
  else
    gh pr create --head "$branch" --base "$base" --title "$title" --body-file reports/pull-request.md
  fi
fi
