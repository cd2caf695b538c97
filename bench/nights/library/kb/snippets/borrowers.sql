select count(distinct l.member_id) as borrowers
from loans l, members m
where m.member_id = l.member_id
  and m.age_group in ('adult', 'child', 'student')
  and l.branch = {{ branch }}
  and l.out_on between {{ period.start }} and {{ period.end }}
