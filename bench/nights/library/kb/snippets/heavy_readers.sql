with busy as (
  select l.member_id
  from loans l, members m
  where m.member_id = l.member_id
    and m.blocked = 'n'
    and l.branch = {{ branch }}
    and l.out_on between {{ period.start }} and {{ period.end }}
  group by l.member_id
  having count(*) > {{ least }}
)
select count(*) as readers
from busy
