/** A fault as people and models make it: one edit of a tool script that comes with the program. */
export interface ToolFault {
  readonly name: string
  readonly script: string
  readonly search: string
  readonly replace: string
}

const signature = 'analyze_signature.pym'
const existing = 'read_existing_tests.pym'
const write = 'write_test_file.pym'
const run = 'run_tests.pym'
const submit = 'submit.pym'

export const toolFaults: readonly ToolFault[] = [
  {
    name: 'keyword-only parameters are dropped',
    script: signature,
    search: '    for each in function["parameters"]\n',
    replace: '    for each in function["parameters"]\n    if each["kind"] != "keyword_only"\n',
  },
  {
    name: 'the first parameter is dropped, as if it were self',
    script: signature,
    search: 'for each in function["parameters"]',
    replace: 'for each in function["parameters"][1:]',
  },
  {
    name: 'a function is found by its name, whatever its class',
    script: signature,
    search: 'if each["qualname"] == place["qualname"]]',
    replace: 'if each["name"] == place["qualname"].split(".")[-1]]',
  },
  {
    name: 'a default of None is read as required',
    script: signature,
    search: '"required": each["required"],',
    replace: '"required": each["default"] is None,',
  },
  {
    name: 'async is lost',
    script: signature,
    search: '"is_async": function["is_async"],',
    replace: '"is_async": False,',
  },
  {
    name: 'the type is taken for the default',
    script: signature,
    search: '"default": each["default"],',
    replace: '"default": each["type"],',
  },
  {
    name: 'the returned type is left out',
    script: signature,
    search: '    "return_type": function["returns"],\n',
    replace: '',
  },
  {
    name: 'the last parameter is cut off',
    script: signature,
    search: 'for each in function["parameters"]',
    replace: 'for each in function["parameters"][:-1]',
  },
  {
    name: 'the name is the qualified name',
    script: signature,
    search: '"function_name": function["name"]',
    replace: '"function_name": function["qualname"]',
  },
  {
    name: 'what is raised is left out',
    script: signature,
    search: '"raises": function["raises"]',
    replace: '"raises": []',
  },
  {
    name: 'an absent file is empty content with a path',
    script: existing,
    search: '{"content": "", "path": None}',
    replace: '{"content": "", "path": path}',
  },
  {
    name: 'the source is read instead of the tests',
    script: existing,
    search: '(await target())["test_path"]',
    replace: '(await target())["path"]',
  },
  {
    name: 'content is trimmed',
    script: existing,
    search: '{"content": content, "path": path}',
    replace: '{"content": content.strip(), "path": path}',
  },
  {
    name: 'a file that is there is taken for none',
    script: existing,
    search: 'if content is None else',
    replace: 'if content is not None else',
  },
  {
    name: 'a refusal is a success',
    script: write,
    search: '{"success": written["written"], "path": place}',
    replace: '{"success": True, "path": place}',
  },
  { name: 'syntax is not checked', script: write, search: 'if checked["valid"]:', replace: 'if True:' },
  {
    name: 'content is trimmed when written',
    script: write,
    search: 'text=content)\n    result',
    replace: 'text=content.strip())\n    result',
  },
  {
    name: 'the path is ignored',
    script: write,
    search: 'place = path or (await target())["test_path"]',
    replace: 'place = (await target())["test_path"]',
  },
  {
    name: 'the file is written beside the source',
    script: write,
    search: '(await target())["test_path"]',
    replace: '(await target())["path"]',
  },
  {
    name: 'the line of the error is lost',
    script: write,
    search: '"line " + str(checked["line"]) + ": " + checked["message"]',
    replace: 'checked["message"]',
  },
  {
    name: 'failed tests are counted as passed',
    script: run,
    search: 'if each["outcome"] == "passed"]',
    replace: 'if each["outcome"] != "skipped"]',
  },
  {
    name: 'errors of collection are ignored',
    script: run,
    search: 'errors = len(broken) + len(run["errors"])',
    replace: 'errors = len(broken)',
  },
  {
    name: 'messages are dropped',
    script: run,
    search:
      '{"test": each["name"], "message": each["message"], "line": each["line"]} for each in failed + broken',
    replace: '{"test": each["name"], "message": None, "line": each["line"]} for each in failed + broken',
  },
  {
    name: 'the path is ignored when tests run',
    script: run,
    search: 'path=path or (await target())["test_path"]',
    replace: 'path=(await target())["test_path"]',
  },
  {
    name: 'broken tests have no failure',
    script: run,
    search: 'for each in failed + broken]',
    replace: 'for each in failed]',
  },
  {
    name: 'a run without tests is passed',
    script: run,
    search: '"passed" if passed and not failed',
    replace: '"passed" if not failed',
  },
  {
    name: 'skipped tests are failures',
    script: run,
    search: 'if each["outcome"] == "failed"]',
    replace: 'if each["outcome"] != "passed"]',
  },
  {
    name: 'the count of the model is trusted',
    script: submit,
    search: '"details": {"tests_generated": total,',
    replace: '"details": {"tests_generated": tests_generated,',
  },
  {
    name: 'claimed files are listed',
    script: submit,
    search: '"changed_files": files,',
    replace: '"changed_files": changed_files,',
  },
  {
    name: 'a false claim is a success',
    script: submit,
    search: '"failed" if problems else "success"',
    replace: '"success"',
  },
  {
    name: 'the number of passing tests is not compared',
    script: submit,
    search: 'if passing != tests_passing:',
    replace: 'if passing > tests_passing:',
  },
  {
    name: 'tests that fail are accepted',
    script: submit,
    search: 'if total > passing:',
    replace: 'if total < passing:',
  },
  {
    name: 'a section does not end',
    script: '../context/pytest_config.pym',
    search: 'inside = head[1:-1].strip() == name',
    replace: 'inside = inside or head[1:-1].strip() == name',
  },
  {
    name: 'the last configuration wins',
    script: '../context/pytest_config.pym',
    search: ' and found == ""',
    replace: '',
  },
  {
    name: 'a function of the host that it did not declare is called',
    script: existing,
    search: 'await read_file(path=path)',
    replace: 'await read_text(path=path)',
  },
]
